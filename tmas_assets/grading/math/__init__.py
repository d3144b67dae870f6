"""Mathematical answers: found in a reply, read into a tree or a shape, compared with the gold."""

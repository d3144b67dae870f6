"""The pages below an experiment's own: index, problems, iterations. Pure: records in, HTML text out; leaves out files."""

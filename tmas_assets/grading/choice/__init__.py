"""Multiple choice: which letter a reply takes."""

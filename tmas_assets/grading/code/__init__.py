"""Code in replies: found, made into a program of its own, its output compared. Running it is left to `resources/sandbox/`."""

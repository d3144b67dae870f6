"""What each `tmas` subcommand does; `tmas_assets/cli.py` has their arguments and help."""

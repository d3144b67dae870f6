"""The one fault of the command line."""


class CommandFault(Exception):
    """A fault the user can act on; its text is all that is shown."""

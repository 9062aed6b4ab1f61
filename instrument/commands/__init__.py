"""The commands (groups.py), one module each, with `add_arguments(parser)` and `execute(args) -> exit status`."""

"""What editors show of rule files: mistakes, completions, help, the canonical layout, where a class's source is.

server.py speaks the Language Server Protocol; the other modules are functions of a text, a place in it and the project's classes. Places count lines
and characters from 0.
"""

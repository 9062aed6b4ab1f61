"""Support of editors for rule files: mistakes, completions, help, the canonical layout, where a class's source is.

server.py and rule_server.py speak the Language Server Protocol, by pygls; the other modules are functions of a text, a
place in it and the project's classes. Places count lines and characters from 0.
"""

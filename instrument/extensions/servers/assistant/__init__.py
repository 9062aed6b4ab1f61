"""The server for AI assistants by the Model Context Protocol (`classhook mcp`): tools.py turns a question into a
command line, running.py runs it, answers.py makes a short answer of its output, and server.py offers all tools. Only
server.py imports the protocol's SDK."""

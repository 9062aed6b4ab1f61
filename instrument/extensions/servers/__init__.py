"""Servers for other programs: editors of rule files (LSP), and assistants (MCP)."""

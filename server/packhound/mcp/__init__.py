"""MCP server on standard input and output, and its entry in the files of coding agents."""

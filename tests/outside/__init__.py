"""Outside judges: other people's MCP clients over the installed command, with a real editor behind it."""

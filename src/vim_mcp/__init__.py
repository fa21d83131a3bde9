"""vim-mcp: Vim and Neovim as editors for every MCP client."""

__version__ = "0.1.0"

"""One MCP client's conversation: the SDK's server over our connection, the choice of an editor, the resources."""

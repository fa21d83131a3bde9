"""The server that Claude Code finds an editor by: lock files, WebSocket ports, and what the editor tells unasked."""

"""The real Claude CLI with real editors."""

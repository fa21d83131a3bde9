"""What the product does: one module a family, one function a tool, one table."""

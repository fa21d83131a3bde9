"""Times and sizes of vim-mcp against its budgets, as ratios to floors that are measured in the same run."""

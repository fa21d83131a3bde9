"""`python -m vim_mcp` is `vim-mcp`."""

import sys

from vim_mcp.cli import main

sys.exit(main())

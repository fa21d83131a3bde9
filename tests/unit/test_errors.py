"""Errors carry whatever details an editor gives."""

from __future__ import annotations

import pytest

from vim_mcp.errors import CommandFailed, EditorMethodError


@pytest.mark.requirement("VIM-TEST-01")
def test_details_may_have_any_name() -> None:
    details = {"message": "inner", "code": 7, "self": 1, "kind": "swap"}
    assert CommandFailed("outer", **details).data == details
    error = EditorMethodError(-32601, "outer", **details)
    assert (error.code, error.message, error.data) == (-32601, "outer", details)

"""Which hub makes way for which client."""

from __future__ import annotations

import pytest

from vim_mcp import hublink


@pytest.mark.requirement("HUB-08")
@pytest.mark.parametrize(
    ("ours", "theirs", "older"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("1.0.0", "0.99.99", True),
        ("0.1.1", "0.1", True),
        ("0.1.0", "0.1.0", False),
        ("0.1.0", "0.1.1", False),
        ("0.1.0", "0.1.0rc1", False),
        ("0.1.0rc1", "0.1.0", False),
        ("0.2.0.dev1", "0.1.0", True),
        ("0.2.0", "0.2.0.dev1", False),
        ("0.1.0", "unknown", False),
        ("0.1.0", "", False),
    ],
)
def test_only_an_earlier_release_is_older(monkeypatch: pytest.MonkeyPatch, ours: str, theirs: str, older: bool) -> None:
    monkeypatch.setattr(hublink, "__version__", ours)
    assert hublink.is_older(theirs) is older


@pytest.mark.parametrize("line", [b"", b"no JSON", b"[]", b"3", b'{"relay":3}', b'{"jsonrpc":"2.0"}'])
def test_what_is_not_for_the_relay_says_nothing_to_it(line: bytes) -> None:
    assert hublink.relay_part(line) == {}

"""The environment becomes a configuration, or a sentence that says what is wrong with it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from vim_mcp import config
from vim_mcp.config import LOG_LEVELS, Config, ConfigError


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "VIM_MCP_SOCKET",
        "VIM_MCP_REGISTRY",
        "VIM_MCP_LOG_LEVEL",
        "VIM_MCP_IDLE_TIMEOUT",
        "CLAUDE_CONFIG_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(tmp_path / "run"))


def test_the_defaults(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert config.load() == Config(
        runtime=run,
        socket=run / "vim-mcp-server.sock",
        registry=run / "vim-mcp-registry.json",
        preference=run / "vim-mcp-preference.txt",
        log=run / "hub.log",
        lock_directory=Path.home() / ".claude" / "ide",
        log_level="info",
        idle_timeout=30.0,
        register_timeout=5.0,
        max_instances=100,
    )
    assert config.load().state("a-b-1") == run / "vim-mcp-a-b-1-state.json"
    assert run.is_dir()


def test_it_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.load().idle_timeout = 1.0  # type: ignore[misc]  # what the test is about


@pytest.mark.requirement("VIM-CFG-03")
@pytest.mark.parametrize("level", [*LOG_LEVELS, "DEBUG"])
def test_the_log_level(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("VIM_MCP_LOG_LEVEL", level)
    assert config.load().log_level == level.lower()


@pytest.mark.requirement("LOCK-01")
@pytest.mark.parametrize(("value", "place"), [("/elsewhere", "/elsewhere/ide"), ("~/c/", "/home/ada/c/ide")])
def test_the_lock_directory_is_where_claude_code_looks(monkeypatch: pytest.MonkeyPatch, value: str, place: str) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", value)
    assert config.load().lock_directory == Path(place)


@pytest.mark.parametrize(("value", "seconds"), [("0", 0.0), ("1.5", 1.5), ("3600", 3600.0), ("", 30.0)])
def test_the_idle_time(monkeypatch: pytest.MonkeyPatch, value: str, seconds: float) -> None:
    monkeypatch.setenv("VIM_MCP_IDLE_TIMEOUT", value)
    assert config.load().idle_timeout == seconds


@pytest.mark.requirement("CFG-01")
@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("VIM_MCP_LOG_LEVEL", "loud", "set it to one of error, warning, info, debug"),
        ("VIM_MCP_IDLE_TIMEOUT", "soon", "set it to seconds, such as 30, or to 0"),
        ("VIM_MCP_IDLE_TIMEOUT", "-1", "set it to seconds"),
        ("VIM_MCP_IDLE_TIMEOUT", "nan", "set it to seconds"),
        ("VIM_MCP_IDLE_TIMEOUT", "inf", "set it to seconds"),
        ("VIM_MCP_SOCKET", "here.sock", "write it from /"),
        ("VIM_MCP_REGISTRY", "here.json", "write it from /"),
        ("VIM_MCP_RUNTIME_DIR", "here", "write it from /"),
    ],
)
def test_a_bad_value_is_named_with_what_would_do(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, accepted: str
) -> None:
    monkeypatch.setenv(name, value)
    for use in (config.load, config.check):
        with pytest.raises(ConfigError) as refused:
            use()
        assert str(refused.value).startswith(f"{name}={value!r} ")
        assert accepted in str(refused.value)


def test_checking_makes_nothing(tmp_path: Path) -> None:
    config.check()
    assert not (tmp_path / "run").exists()

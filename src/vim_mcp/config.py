"""The environment as a frozen `Config`; a bad value is refused with the accepted ones."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from vim_mcp import paths
from vim_mcp.paths import ConfigError

__all__ = ["LOG_LEVELS", "Config", "ConfigError", "load"]

LOG_LEVELS = ("error", "warning", "info", "debug")


@dataclass(frozen=True)
class Config:
    """What the hub runs with. Times are seconds."""

    runtime: Path
    """A directory (0700) for the socket and the files beside it."""
    socket: Path
    registry: Path
    preference: Path
    log: Path
    lock_directory: Path
    """Where Claude Code looks for editors."""
    log_level: str = "info"
    """One of `LOG_LEVELS`."""
    idle_timeout: float = 30.0
    """How long the hub stays without an editor and a client; 0: for ever."""
    register_timeout: float = 5.0
    """How long a caller has for its first line."""
    max_instances: int = 100

    @property
    def ledger(self) -> Path:
        """The ports and tokens that editors have been given."""
        return self.runtime / "ide-ports.json"

    def state(self, instance_id: str) -> Path:
        """The state file of the editor `instance_id`."""
        return self.runtime / Path(paths.state_path(instance_id)).name


def load() -> Config:
    """The configuration of this process's environment; the runtime directory is created where it is missing.

    Raises `ConfigError`, whose message names the variable, its value and what would be accepted.
    """
    return Config(
        runtime=Path(paths.runtime_dir()),
        socket=Path(paths.socket_path()),
        registry=Path(paths.registry_path()),
        preference=Path(paths.preference_path()),
        log=Path(paths.log_path()),
        log_level=_log_level(),
        idle_timeout=_idle_timeout(),
        lock_directory=Path(paths.lock_directory()),
    )


def check() -> None:
    """Raise `ConfigError` if a setting is bad; creates nothing."""
    for place in (paths.socket_path, paths.registry_path, _log_level, _idle_timeout):
        place()


def _log_level() -> str:
    value = os.environ.get("VIM_MCP_LOG_LEVEL") or Config.log_level
    if value.lower() not in LOG_LEVELS:
        raise ConfigError(f"VIM_MCP_LOG_LEVEL={value!r} is not a log level: set it to one of {', '.join(LOG_LEVELS)}")
    return value.lower()


def _idle_timeout() -> float:
    value = os.environ.get("VIM_MCP_IDLE_TIMEOUT") or str(Config.idle_timeout)
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ConfigError(
            f"VIM_MCP_IDLE_TIMEOUT={value!r} is not a time: set it to seconds, such as 30, or to 0 for a hub that stays"
        )
    return seconds

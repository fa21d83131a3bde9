"""Where things lie: defaults by user id, overrides by the environment, and a directory that only its owner enters."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vim_mcp import paths
from vim_mcp.paths import ConfigError

SETTINGS = ("VIM_MCP_RUNTIME_DIR", "VIM_MCP_SOCKET", "VIM_MCP_REGISTRY")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)


def login_directory(monkeypatch: pytest.MonkeyPatch, owner: int | None) -> None:
    """Make /run/user/<uid> look as if `owner` had it; None: it is not there."""
    real = os.lstat

    def lstat(path: str) -> os.stat_result:
        if str(path) != f"/run/user/{os.getuid()}":
            return real(path)
        if owner is None:
            raise FileNotFoundError(path)
        return os.stat_result((0o040700, 0, 0, 0, owner, 0, 0, 0, 0, 0))

    monkeypatch.setattr(os, "lstat", lstat)


def test_the_directory_follows_from_the_user_where_a_login_made_one(monkeypatch: pytest.MonkeyPatch) -> None:
    login_directory(monkeypatch, os.getuid())
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/somewhere/else")
    assert paths.runtime_path() == f"/run/user/{os.getuid()}/vim-mcp"


@pytest.mark.parametrize("owner", [None, os.getuid() + 1])
def test_without_a_login_directory_of_ours_it_is_below_tmp(monkeypatch: pytest.MonkeyPatch, owner: int | None) -> None:
    login_directory(monkeypatch, owner)
    assert paths.runtime_path() == f"/tmp/vim-mcp-{os.getuid()}"
    assert paths.candidates() == [f"/tmp/vim-mcp-{os.getuid()}/vim-mcp-server.sock"]


def test_a_client_tries_both_default_places(monkeypatch: pytest.MonkeyPatch) -> None:
    login_directory(monkeypatch, os.getuid())
    user = os.getuid()
    expected = [f"/run/user/{user}/vim-mcp", f"/tmp/vim-mcp-{user}"]
    assert paths.candidates() == [f"{directory}/vim-mcp-server.sock" for directory in expected]


@pytest.mark.parametrize("name", ["VIM_MCP_RUNTIME_DIR", "VIM_MCP_SOCKET"])
def test_a_setting_leaves_one_place(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    login_directory(monkeypatch, os.getuid())
    monkeypatch.setenv(name, "/some/place")
    assert len(paths.candidates()) == 1
    assert paths.candidates()[0].startswith("/some/place")


@pytest.mark.requirement("VIM-CFG-02", "VIM-WIRE-02")
def test_the_specifications_own_paths_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", "/some/run")
    monkeypatch.setenv("VIM_MCP_SOCKET", "/tmp/vim-mcp-server.sock")
    monkeypatch.setenv("VIM_MCP_REGISTRY", "/tmp/vim-mcp-registry.json")
    assert paths.socket_path() == "/tmp/vim-mcp-server.sock"
    assert paths.registry_path() == "/tmp/vim-mcp-registry.json"
    assert paths.preference_path() == "/some/run/vim-mcp-preference.txt"
    assert paths.state_path("a-b-1") == "/some/run/vim-mcp-a-b-1-state.json"
    assert paths.log_path() == "/some/run/hub.log"


def test_the_files_lie_in_the_runtime_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", "/some/run/")
    assert paths.socket_path() == "/some/run/vim-mcp-server.sock"
    assert paths.registry_path() == "/some/run/vim-mcp-registry.json"


def test_a_tilde_is_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients' configuration files are read by no shell."""
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("VIM_MCP_SOCKET", "~/vim.sock")
    assert paths.socket_path() == "/home/ada/vim.sock"


@pytest.mark.requirement("CFG-01")
@pytest.mark.parametrize("name", SETTINGS)
def test_a_relative_path_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "run/place")
    use = paths.registry_path if name == "VIM_MCP_REGISTRY" else paths.socket_path
    with pytest.raises(ConfigError, match=rf"^{name}='run/place' is not an absolute path: write it from /"):
        use()


def test_a_socket_path_too_long_for_the_kernel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = "/" + "é" * ((paths.MAX_SOCKET_PATH - 1) // 2)
    monkeypatch.setenv("VIM_MCP_SOCKET", longest)
    assert paths.socket_path() == longest
    monkeypatch.setenv("VIM_MCP_SOCKET", longest + "é")
    with pytest.raises(ConfigError, match=rf"at most {paths.MAX_SOCKET_PATH}: set VIM_MCP_SOCKET"):
        paths.socket_path()


@pytest.mark.requirement("DIR-01")
def test_a_missing_directory_is_made_for_the_owner_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "not" / "there"
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(place))
    before = os.umask(0)
    try:
        assert paths.runtime_dir() == str(place)
    finally:
        os.umask(before)
    assert place.stat().st_mode & 0o777 == 0o700
    assert paths.runtime_dir() == str(place)


@pytest.mark.requirement("DIR-01")
@pytest.mark.parametrize("mode", [0o750, 0o701, 0o777])
def test_an_open_directory_is_refused_with_the_way_to_close_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: int
) -> None:
    tmp_path.chmod(mode)
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(ConfigError) as refused:
        paths.runtime_dir()
    assert str(refused.value) == (
        f"The runtime directory {tmp_path} is open to other users (mode {mode:04o}). Mend it: chmod 700 '{tmp_path}'"
    )


@pytest.mark.requirement("DIR-01")
def test_a_symbolic_link_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(link))
    with pytest.raises(ConfigError, match=rf"directory {link} is a symbolic link\. Mend it: rm '{link}'$"):
        paths.runtime_dir()


def test_a_file_in_its_place_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(place))
    with pytest.raises(ConfigError, match=r"is not a directory\. Mend it: mv"):
        paths.runtime_dir()


@pytest.mark.requirement("DIR-01")
def test_somebody_elses_directory_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(tmp_path))
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(ConfigError, match=rf"belongs to user {owner}, not to you\. Set VIM_MCP_RUNTIME_DIR"):
        paths.runtime_dir()


def test_a_directory_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "run"
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(place))
    with pytest.raises(ConfigError, match=rf"^The runtime directory {place} cannot be made: "):
        paths.runtime_dir()

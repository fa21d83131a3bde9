"""Naming instances and choosing among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vim_mcp.editor import instances
from vim_mcp.editor.instances import Candidate
from vim_mcp.errors import InstanceNotFound, NoInstanceSelected

API = Candidate("server-api-1", "/src/api", "/src/api/server.py")
WEB = Candidate("index-web-2", "/src/web", "/src/web/index.js")
NOTE = Candidate("COMMIT_EDITMSG-web-3", "/src/web", "/src/web/.git/COMMIT_EDITMSG", short_lived=True)


@given(st.text(), st.integers(1, 4_000_000))
@pytest.mark.requirement("VIM-ID-04", "VIM-TEST-01")
def test_an_id_is_safe_in_a_file_name(wanted: str, pid: int) -> None:
    name = instances.safe_id(wanted, pid)
    assert name.endswith(f"-{pid}")
    assert len(name) <= 120
    assert name == Path(f"/x/{name}").name
    assert all(c.isascii() and (c.isalnum() or c in "_.-") for c in name)
    assert not name.startswith(".")


@pytest.mark.parametrize("name", ["index-myproject-12345", "unnamed-dotfiles-67890", "server-api-23456"])
def test_ordinary_ids_stay_as_they_are(name: str) -> None:
    assert instances.safe_id(name, int(name.rpartition("-")[2])) == name


@pytest.mark.requirement("VIM-ID-04")
def test_a_taken_id_gets_a_number() -> None:
    assert instances.unique_id("a-b-1", set()) == "a-b-1"
    assert instances.unique_id("a-b-1", {"a-b-1", "a-b-1.2"}) == "a-b-1.3"


@pytest.mark.requirement("G3", "VIM-SEL-03")
def test_the_only_editor_is_chosen() -> None:
    assert instances.choose([API], []) == API.instance_id
    assert instances.choose([API, NOTE], []) == API.instance_id


@pytest.mark.requirement("PICK-01")
def test_several_editors_are_told_apart_by_the_clients_directory() -> None:
    assert instances.choose([API, WEB], ["/src/web/static"]) == WEB.instance_id
    inner = Candidate("x-static-4", "/src/web/static", "")
    assert instances.choose([API, WEB, inner], ["/src/web/static"]) == inner.instance_id


def test_a_directory_with_the_same_beginning_is_another_directory() -> None:
    with pytest.raises(NoInstanceSelected):
        instances.choose([API, WEB], ["/src/web2"])


def test_two_in_the_same_directory_are_not_guessed_between() -> None:
    twin = Candidate("b-web-5", "/src/web", "")
    with pytest.raises(NoInstanceSelected, match="b-web-5"):
        instances.choose([WEB, twin], ["/src/web"])


@pytest.mark.requirement("VIM-SEL-02")
def test_no_editor_gives_the_words_that_help() -> None:
    with pytest.raises(NoInstanceSelected, match="No instances found, run :VimMCPReconnect in Vim"):
        instances.choose([], [])


@pytest.mark.requirement("SHORT-01")
def test_short_lived_editors_are_chosen_only_by_name() -> None:
    with pytest.raises(NoInstanceSelected, match="short-lived"):
        instances.choose([NOTE], ["/src/web"])
    assert instances.find([NOTE], NOTE.instance_id) == NOTE.instance_id


@pytest.mark.requirement("VIM-ERR-13")
def test_an_unknown_id_lists_those_that_are_there() -> None:
    with pytest.raises(InstanceNotFound, match="server-api-1") as error:
        instances.find([API, WEB], "nobody-1")
    assert error.value.data == {"instance_id": "nobody-1"}


@pytest.mark.requirement("VIM-PREF-01")
def test_the_list_begins_with_the_preference() -> None:
    assert instances.preferred_first([API, WEB], "index-web-2") == [WEB, API]
    assert instances.preferred_first([API, WEB], "index-web-999") == [WEB, API], "the same file and project, restarted"
    assert instances.preferred_first([API, WEB], None) == [API, WEB]

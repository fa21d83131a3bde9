"""docs/requirements.toml and the tests agree, both ways: names, marks and mentions (REPO-04)."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {"text": str, "seed": str, "status": str, "tests": list}
STATUSES = ("done", "bench", "open", "later")
MENTIONING = ("src", "plugin", "autoload", "lua", "doc", "tests", "bench", "demo", "docs")
SUFFIXES = (".py", ".vim", ".lua", ".txt", ".md", ".mjs")


@dataclass(frozen=True)
class Requirement:
    """One entry of docs/requirements.toml; `tests` are "path::name" from the repository's root."""

    text: str
    seed: str
    status: str
    tests: list[str]


def load() -> dict[str, Requirement]:
    """Return the requirements by id; fails on a missing, unknown or wrong field."""
    found = {}
    for key, entry in tomllib.loads((ROOT / "docs" / "requirements.toml").read_text()).items():
        assert {name: type(value) for name, value in entry.items()} == FIELDS, key
        assert entry["status"] in STATUSES, key
        found[key] = Requirement(**entry)
    return found


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the tests of a module, with pytest's names for those in classes ("Class::test")."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}::{name}", found) for name, found in functions(ast.Module(node.body, [])))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name, node


def marks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the ids of the function's `@pytest.mark.requirement(...)` decorators."""
    calls = [node for node in function.decorator_list if isinstance(node, ast.Call)]
    named = [call for call in calls if ast.unparse(call.func) == "pytest.mark.requirement"]
    return {ast.literal_eval(argument) for call in named for argument in call.args}


def collect(root: Path) -> dict[str, set[str]]:
    """Return every test below `root`/tests as "path::name", with the requirements it names."""
    return {
        f"{path.relative_to(root)}::{name}": marks(function)
        for path in sorted((root / "tests").rglob("test_*.py"))
        for name, function in functions(ast.parse(path.read_bytes()))
    }


def mentions(root: Path, families: set[str]) -> Iterator[tuple[str, str]]:
    """Yield (file, id) for every word in the code and its documents that has the shape of an id."""
    names = "|".join(sorted(families))
    pattern = re.compile(rf"(?<![\w-])(?:VIM-[A-Z]+|{names})-\d\d(?![\w-])")
    for top in MENTIONING:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES and path != Path(__file__):
                yield from ((str(path.relative_to(root)), found) for found in pattern.findall(path.read_text()))


def disagreements(requirements: Mapping[str, Requirement], tests: Mapping[str, set[str]]) -> list[str]:
    """Return what the requirements and the tests' marks say differently, one sentence each."""
    listed = {(key, test) for key, entry in requirements.items() for test in entry.tests}
    marked = {(key, test) for test, keys in tests.items() for key in keys}
    found = [f"{key} lists {test}, which does not exist" for key, test in listed if test not in tests]
    found += [f"{key} lists {test}, which is not marked with it" for key, test in listed - marked if test in tests]
    found += [f"{test} is marked with {key}, which does not list it" for key, test in marked - listed]
    found += [
        f"{key} is done, and lists no test" for key, e in requirements.items() if e.status == "done" and not e.tests
    ]
    return sorted(found)


@pytest.mark.requirement("REPO-04")
def test_requirements_and_tests_agree() -> None:
    assert disagreements(load(), collect(ROOT)) == []


@pytest.mark.requirement("REPO-04")
def test_every_mentioned_requirement_exists() -> None:
    known = load()
    families = {key.rpartition("-")[0] for key in known} - {""}
    assert [f"{path}: {key}" for path, key in mentions(ROOT, families) if key not in known] == []


@pytest.mark.parametrize(
    ("status", "listed", "tests", "complaint"),
    [
        ("done", [], {}, "A-01 is done, and lists no test"),
        ("open", ["t::gone"], {}, "A-01 lists t::gone, which does not exist"),
        ("open", ["t::one"], {"t::one": set()}, "A-01 lists t::one, which is not marked with it"),
        ("open", [], {"t::one": {"A-01"}}, "t::one is marked with A-01, which does not list it"),
        ("open", [], {"t::one": {"B-01"}}, "t::one is marked with B-01, which does not list it"),
    ],
)
@pytest.mark.requirement("REPO-04")
def test_a_disagreement_is_reported(status: str, listed: list[str], tests: dict[str, set[str]], complaint: str) -> None:
    assert disagreements({"A-01": Requirement("text", "own", status, listed)}, tests) == [complaint]


@pytest.mark.requirement("REPO-04")
def test_marks_and_mentions_are_found(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_x.py").write_text(
        "@pytest.mark.requirement('A-01', 'A-02')\n@pytest.mark.requirement('B-01')\nasync def test_a(): ...\n"
        "class TestC:\n    @pytest.mark.requirement('B-02')\n    def test_b(self): ...\n    def helper(self): ...\n"
    )
    assert collect(tmp_path) == {
        "tests/test_x.py::test_a": {"A-01", "A-02", "B-01"},
        "tests/test_x.py::TestC::test_b": {"B-02"},
    }
    (tests / "notes.md").write_text("(A-01), VIM-NEW-07; not UTF-16, XA-01 or A-011")
    assert [key for path, key in mentions(tmp_path, {"A"}) if path.endswith("notes.md")] == ["A-01", "VIM-NEW-07"]

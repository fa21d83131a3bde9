"""Who imports whom: check the package's modules against the layers below.

Usage: python dev/imports.py [DIRECTORY]      (default: src/vim_mcp)
Prints one line for each import that breaks a rule; exit status 1 if there is one.

Every import counts, wherever it stands: in a function, for type checking alone, relative or
absolute, and as a string that names a module of the package (for importlib).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "vim_mcp"

# From left to right. A part imports only what stands to its right, and itself;
# parts of one layer do not know each other. Anybody may read the package's own version.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"__main__"}),
    frozenset({"cli"}),
    frozenset({"daemon"}),
    frozenset({"hub"}),
    frozenset({"clients", "registration", "endpoints", "notebook", "checkers"}),
    frozenset({"endpoint"}),
    frozenset({"ide", "session"}),
    frozenset({"tools"}),
    frozenset({"kernel"}),
    frozenset({"editor"}),
    frozenset({"connection", "atomic", "socketlock", "logs", "tasks"}),
    frozenset({"wire", "text", "excommand"}),
    frozenset({"config", "errors", "releases"}),
)

# Programs that must start at once or where nothing else does, and what they share: these parts, and beyond
# them (and beyond what they import in turn) the standard library alone.
STANDALONE: dict[str, frozenset[str]] = {
    "relay": frozenset({"conversation", "hublink", "releases", "starter", "paths", "errors"}),
    "hublink": frozenset({"starter", "releases"}),
    "conversation": frozenset(),
    "releases": frozenset(),
    "pipe": frozenset({"starter"}),
    "control": frozenset({"starter", "paths"}),
    "status": frozenset({"control", "starter", "paths"}),
    "listing": frozenset(),
    "hubclient": frozenset({"hublink", "starter"}),
    "shell": frozenset({"hubclient", "listing"}),
    "offered": frozenset(),
    "completion": frozenset({"control", "offered", "starter", "paths"}),
    "hook": frozenset({"starter"}),
    "doctor": frozenset({"install", "control", "starter", "releases", "paths"}),
    "install": frozenset({"paths"}),
    "starter": frozenset({"paths", "errors"}),
    "paths": frozenset({"errors"}),
}
# Only `cli` and each other's table import these.
PROGRAMS = frozenset(
    "relay hublink conversation pipe control hook starter status listing hubclient shell offered completion install "
    "doctor".split()
)

# Modules (and packages) that compute and never wait: neither they nor what they import may reach these.
PURE = ("wire", "text", "excommand", "editor.instances", "kernel.output")
WAITING = frozenset({"asyncio", "anyio", "selectors", "socket", "subprocess", "threading"})


@dataclass(frozen=True)
class Import:
    """One imported module, by its full dotted name, and the line (1-based) that imports it."""

    target: str
    line: int


def module_name(path: Path, root: Path) -> str:
    """Return the name of `path` below `root`, without the package: "editor.link", "" for the root."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_modules(root: Path) -> dict[str, list[Import]]:
    """Return every module below `root` with what it imports; modules of the package by short name."""
    paths = {module_name(path, root): path for path in sorted(root.rglob("*.py"))}
    names = frozenset(paths)
    return {name: list(_imports(path, name, names)) for name, path in paths.items()}


def _imports(path: Path, name: str, names: frozenset[str]) -> Iterator[Import]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if _inside(full) in names else base, node.lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _inside(node.value) in names - {""}:
            yield Import(node.value, node.lineno)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = [PACKAGE, *package.split(".")] if package else [PACKAGE]
    base = parents[: len(parents) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def _inside(target: str) -> str | None:
    """Return the package's own module that `target` names ("" is the root), None for others."""
    if target == PACKAGE:
        return ""
    return target.removeprefix(PACKAGE + ".") if target.startswith(PACKAGE + ".") else None


def _part(module: str) -> str:
    return module.partition(".")[0]


def _layer(part: str) -> int | None:
    return next((index for index, parts in enumerate(LAYERS) if part in parts), None)


def _allowed(importer: str, imported: str) -> bool:
    if imported in ("", importer):
        return True
    if importer in STANDALONE:
        return imported in STANDALONE[importer]
    if imported in PROGRAMS:
        return importer == "cli"
    if imported in STANDALONE:
        return importer != "errors"
    left, right = _layer(importer), _layer(imported)
    return left is not None and right is not None and left < right


def _check_import(module: str, item: Import) -> str | None:
    inside = _inside(item.target)
    if not module and inside:
        return f"imports {inside}: the package's root holds its version and nothing else"
    if inside is not None and not _allowed(_part(module), _part(inside)):
        return f"imports {inside}, which does not stand to its right"
    return None


def _loaded(module: str, modules: dict[str, list[Import]]) -> set[str]:
    """Return everything that importing `module` loads, by full name, as far as the package tells."""
    seen: set[str] = set()
    waiting = [f"{PACKAGE}.{module}"]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        inside = _inside(name)
        if inside is not None:
            waiting += [item.target for item in modules.get(inside, [])]
            waiting += [name.rpartition(".")[0]] if inside else []
    return seen


def _check_reach(modules: dict[str, list[Import]]) -> Iterator[str]:
    for module in modules:
        tops = {_part(name) for name in _loaded(module, modules)} - {PACKAGE}
        if any(module == pure or module.startswith(f"{pure}.") for pure in PURE):
            yield from (f"{module}: is pure, but it or what it imports imports {top}" for top in sorted(tops & WAITING))
        if _part(module) in STANDALONE:
            foreign = sorted(tops - sys.stdlib_module_names)
            yield from (f"{module}: lives on the standard library, but loads {top}" for top in foreign)


def check(root: Path) -> list[str]:
    """Return what breaks the rules below the package's directory `root`, one sentence each."""
    modules = read_modules(root)
    found = []
    for module, imports in modules.items():
        part = _part(module)
        if part and part not in STANDALONE and _layer(part) is None:
            found.append(f"{module}: has no place in the layers of {Path(__file__).name}")
            continue
        complaints = ((item.line, _check_import(module, item)) for item in imports)
        found += [f"{module or PACKAGE}:{line}: {text}" for line, text in complaints if text]
    return found + list(_check_reach(modules))


def main() -> int:
    """Check the directory named on the command line; 0 if all is well."""
    default = Path(__file__).parent.parent / "src" / PACKAGE
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
    print(*found or ["Imports: every module imports only what stands to its right."], sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

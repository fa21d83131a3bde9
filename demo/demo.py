"""Shows, step by step, what an assistant sees and does in a real editor; every step's result is checked.

Usage: python demo/demo.py       Exit status 0 only if every check held.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import mcp
from mcp.client.stdio import StdioServerParameters

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.editors import EditorHome, Terminal, find, start_editor  # noqa: E402 - the path is set just above

BIN = Path(sys.executable).parent


class Failed(Exception):
    """A step did not give what it should."""


class Show:
    """Prints the steps and counts them."""

    def __init__(self) -> None:
        self._step = 0

    def step(self, question: str, request: str) -> None:
        """Begin a step: what is asked, and by which MCP request."""
        self._step += 1
        print(f"\n{self._step}. {question}\n   {request}")

    def answer(self, text: str) -> None:
        """What came back."""
        print("\n".join(f"   | {line}" for line in text.rstrip("\n").splitlines()))

    def check(self, claim: str, holds: bool) -> None:
        """State a claim; raise `Failed` if it does not hold."""
        print(f"   {'ok' if holds else 'NO'}: {claim}")
        if not holds:
            raise Failed(claim)

    def screen(self, terminal: Terminal) -> None:
        """The user's screen, framed."""
        print("   the user's screen:")
        width = max(map(len, terminal.lines()))
        print("   +" + "-" * (width + 2) + "+")
        for line in terminal.lines():
            print(f"   | {line:{width}} |")
        print("   +" + "-" * (width + 2) + "+")


def call(name: str, **arguments: Any) -> str:
    """How a tool call is written in the output."""
    return f"tools/call {name} {json.dumps(arguments)}"


class Assistant:
    """An MCP client that goes through the steps. `screen` is the user's editor."""

    def __init__(self, client: mcp.Client, screen: Terminal, show: Show):
        self._client = client
        self._screen = screen
        self._show = show

    async def _tool(self, question: str, name: str, may_fail: bool = False, **arguments: Any) -> tuple[str, Any, bool]:
        self._show.step(question, call(name, **arguments))
        result = await self._client.call_tool(name, arguments)
        text = "\n".join(block.text for block in result.content if hasattr(block, "text"))
        self._show.answer(text)
        if result.is_error and not may_fail:
            raise Failed(text)
        return text, result.structured_content, bool(result.is_error)

    async def _read(self, question: str, uri: str) -> str:
        self._show.step(question, f"resources/read {uri}")
        contents = (await self._client.read_resource(uri)).contents
        return str(getattr(contents[0], "text", ""))

    async def run(self) -> str:
        """All the steps; what went wrong, or an empty string."""
        for step in (self.instances, self.buffers, self.cursor, self.diagnostics, self.search, self.edit, self.undo,
                     self.command, self.refusal):  # fmt: skip
            try:
                await step()
            except (Failed, AssertionError) as error:
                return f"{step.__name__}: {error}"
        return ""

    async def instances(self) -> None:
        text, found, _ = await self._tool("Which editors are open?", "list_vim_instances")
        self._show.check("the editor on this screen is the one in the list", str(self._screen.pid) in text)
        self._show.check("it is the only one", len(found["instances"]) == 1)

    async def buffers(self) -> None:
        buffers = json.loads(await self._read("Which files does the user have open?", "vim://buffers"))["buffers"]
        names = [Path(buffer["name"]).name for buffer in buffers if buffer["listed"]]
        self._show.answer("\n".join(f"{b['id']}: {b['name']}" for b in buffers if b["listed"]))
        self._show.check("greet.py and notes.md are open", {"greet.py", "notes.md"} <= set(names))

    async def cursor(self) -> None:
        self._screen.type("/farewell\r")
        self._screen.wait_screen(lambda _: self._screen.cursor()[0] == 9)
        cursor = json.loads(await self._read("The user looks for 'farewell'. Where is the cursor?", "vim://cursor"))
        self._show.answer(f"line {cursor['cursor'][0]}, column {cursor['cursor'][1]}: {cursor['context']['line_text']}")
        self._show.check("the cursor is on farewell, line 10", cursor["cursor"] == [10, 5])

    async def diagnostics(self) -> None:
        _, found, _ = await self._tool("What is wrong in the project?", "vim_get_diagnostics")
        messages = [d["message"] for d in found["diagnostics"]]
        self._show.check("the undefined name is reported", any("nmae" in message for message in messages))

    async def search(self) -> None:
        _, found, _ = await self._tool("Where is it used?", "vim_search", pattern=r"\<n\%(am\|ma\)e\>", scope="all")
        self._show.check("four matches, with their lines", [m["line"] for m in found["matches"]] == [6, 7, 10, 11])

    async def edit(self) -> None:
        before = await self._read("The line before the edit:", "vim://buffer/current?first=11&last=11")
        self._show.answer(before)
        await self._tool("Mend it.", "vim_edit", file="greet.py", old_text="{nmae}", new_text="{name}")
        after = await self._read("The line after the edit:", "vim://buffer/current?first=11&last=11")
        self._show.answer(after)
        self._show.check("only the name has changed", after == before.replace("nmae", "name") != before)
        self._screen.wait_screen("Bye, {name}!")
        self._show.check("the user sees it", True)
        self._show.screen(self._screen)

    async def undo(self) -> None:
        self._show.step("The user does not want it and types u.", "(a key)")
        self._screen.type("u")
        self._screen.wait_screen("Bye, {nmae}!")
        text = await self._read("What does the assistant see now?", "vim://buffer/current")
        self._show.check("the edit is undone, on the screen and for the assistant", "{nmae}" in text)

    async def command(self) -> None:
        text, _, failed = await self._tool("What does Vim itself say of the buffers?", "vim_execute", command="ls")
        self._show.check("the command's real output", not failed and "greet.py" in text)
        text, _, failed = await self._tool(
            "And when a command is wrong?", "vim_execute", True, command="s/no such text/x/"
        )
        self._show.check("Vim's real error", failed and "E486" in text)

    async def refusal(self) -> None:
        _, _, failed = await self._tool("May it run a shell command?", "vim_execute", True, command="!touch pwned")
        self._show.check("refused", failed)
        self._show.check("and nothing was run", not (Path(self._screen_directory) / "pwned").exists())

    @property
    def _screen_directory(self) -> str:
        return os.readlink(f"/proc/{self._screen.pid}/cwd") if Path("/proc").is_dir() else "."


def _editor_kind() -> str:
    return next(kind for kind in ("vim", "nvim07", "nvim") if find(kind))


def _open(kind: str, home: EditorHome, project: Path) -> Terminal:
    """The editor on the sample project, with what a linter says of it loaded."""
    found = subprocess.run(
        [str(BIN / "ruff"), "check", "--no-cache", "--isolated", "--output-format", "concise", "."],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = home.home / "errors.txt"
    errors.write_text("".join(line + "\n" for line in found.stdout.splitlines() if ".py:" in line))
    arguments = ["--cmd", "set errorformat=%f:%l:%c:\\ %m", "-c", f"cgetfile {errors}"]
    if kind != "vim":
        diagnostics = "vim.diagnostic.fromqflist(vim.fn.getqflist())"
        arguments += ["-c", f"lua vim.diagnostic.set(vim.api.nvim_create_namespace('ruff'), 0, {diagnostics})"]
    return start_editor(kind, home, [*arguments, "greet.py", "notes.md"], project)


async def _demonstrate(directory: Path, home: EditorHome) -> str:
    show, kind = Show(), _editor_kind()
    project = Path(shutil.copytree(ROOT / "demo" / "project", directory / "sample"))
    terminal = _open(kind, home, project)
    try:
        terminal.wait_screen("A small program")
        print(f"A user has opened {kind} on a small project.")
        show.screen(terminal)
        print("An assistant connects: it runs `vim-mcp` and speaks MCP over stdio.")
        server = StdioServerParameters(command=str(BIN / "vim-mcp"), args=[], env=home.environment(), cwd=project)
        async with mcp.Client(server) as client:
            return await Assistant(client, terminal, show).run()
    finally:
        terminal.close()


def main() -> int:
    """Run the demonstration in a directory of its own, with a hub of its own."""
    with tempfile.TemporaryDirectory(prefix="vim-mcp-demo-") as name:
        directory = Path(name)
        home = EditorHome(directory)
        try:
            fault = asyncio.run(_demonstrate(directory, home))
        finally:
            subprocess.run([str(BIN / "vim-mcp"), "stop"], env=home.environment(), capture_output=True, check=False)
    if fault:
        print(f"\nThe demonstration failed: {fault}", file=sys.stderr)
        return 1
    print("\nEvery step gave what it should.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

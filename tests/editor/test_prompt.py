"""`:ClaudeCodeAsk`: a prompt that is pasted into the terminal, and sent once it stands there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command, wait_mode
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.standin import TAKES_PROMPTS, put

Launch = Callable[..., Terminal]


class Scene:
    """An editor with that program for a Claude; `hear` makes it a client that hears the editor."""

    def __init__(self, terminal: Terminal, link: RawEditor, inside: Inside):
        self.terminal = terminal
        self.link = link
        self._inside = inside

    def hear(self, pid: int) -> None:
        """The hub tells that the process with this id hears the editor."""
        self.link.send({"type": "listening", "pids": [pid]})
        self.link.request("ping")

    def started(self) -> int:
        """The next program's process id, once keys are for it."""
        pid = int(self._inside.told())
        wait_mode(self.link, "t")
        return pid


@pytest.fixture
def scene(raw_hub: RawHub, home: EditorHome, inside: Inside, launch: Launch, tmp_path: Path) -> Scene:
    """A registered editor on "a b.py" and the program."""
    program = put(TAKES_PROMPTS, home.home / "claude", inside)
    (tmp_path / "a b.py").write_text("1\n2\n3\n")
    home.add(f"let g:vim_mcp_claude_command = ['{program}']")
    terminal = launch("a b.py", cwd=tmp_path, size=(24, 200))
    link = raw_hub.editor()
    link.event("BufEnter")
    link.send({"type": "environment", "variables": {"CLAUDE_CODE_SSE_PORT": "12345"}})
    link.request("ping")
    return Scene(terminal, link, inside)


PASTED = r"\x1b[200~{}\x1b[201~"


@pytest.mark.requirement("TERM-10")
def test_prompts_wait_for_claude_and_come_in_their_order(scene: Scene, kind: str) -> None:
    """A Claude is started for the first; one that does not hear yet may ask whether it may run here at all.

    One that is only pasted is typed on in the terminal.
    """
    scene.terminal.type(':ClaudeCodeAsk one | "two"\r')
    pid = scene.started()
    scene.terminal.type(("\x17p" if kind == "vim" else "\x1c\x0e\x17p") + ":2,3ClaudeCodeAsk why?\r")
    scene.terminal.wait_screen("the prompt waits for Claude")
    assert "pasted" not in scene.terminal.text()
    scene.hear(pid)
    second = PASTED.format('@"a b.py#L2-3" why?')
    screen = scene.terminal.wait_screen(f"sent b'{second}'")
    assert screen.index(PASTED.format('one | "two"')) < screen.index(second)
    scene.terminal.type(":ClaudeCodeAsk! more\r")
    scene.terminal.wait_screen(f"pasted b'{PASTED.format('more')}'")
    scene.terminal.type(" and this\r")
    scene.terminal.wait_screen(f"sent b'{PASTED.format('more')} and this'")


GLOBAL = {
    "one text": ("g/[13]/ClaudeCodeAsk why?", ["#L1 {}#L3 why?"]),
    "lines that touch": ("g/./ClaudeCodeAsk! why?", ["#L1-3 why?"]),
    "a text for each": ("g/[23]/exe 'ClaudeCodeAsk why' getline('.')", ["#L2 why 2", "#L3 why 3"]),
    "no text": ("v/2/ClaudeCodeAsk", ["#L1 {}#L3 "]),
}


@pytest.mark.requirement("TERM-10")
@pytest.mark.parametrize("way", GLOBAL)
def test_global_asks_once_about_all_that_it_finds(scene: Scene, way: str) -> None:
    line, prompts = GLOBAL[way]
    command(scene.terminal, "file c.py")
    scene.terminal.type(f":{line}\r")
    scene.hear(scene.started())
    for prompt in prompts:
        done = "sent" if "Ask!" not in line and "why" in prompt else "pasted"
        scene.terminal.wait_screen(f"{done} b'{PASTED.format('@c.py' + prompt.format('@c.py'))}'")
    assert scene.terminal.text().count("pasted") == len(prompts)


@pytest.mark.requirement("TERM-10")
def test_no_more_is_asked_about_at_once_than_is_mentioned(scene: Scene) -> None:
    command(scene.terminal, "call setline(1, range(1, 202))")
    scene.terminal.type(":g/[13579]$/ClaudeCodeAsk why?\r")
    scene.terminal.wait_screen("vim-mcp: not asked: 101 are too many, 100 go")


@pytest.mark.requirement("TERM-10")
def test_a_hidden_claude_is_asked_where_it_is(scene: Scene) -> None:
    scene.terminal.type(":ClaudeCodeFocus\r")
    scene.hear(scene.started())
    scene.terminal.type("\x1c\x0e\x17p")
    command(scene.terminal, "ClaudeCode")
    scene.terminal.type(":ClaudeCodeAsk one\r")
    scene.terminal.wait_screen("vim-mcp: asked: :ClaudeCode shows the answer")
    scene.terminal.type(":ClaudeCode\r")
    scene.terminal.wait_screen(f"sent b'{PASTED.format('one')}'")


@pytest.mark.requirement("TERM-10")
def test_another_process_that_hears_is_not_this_one(scene: Scene) -> None:
    scene.terminal.type(":ClaudeCodeAsk one\r")
    pid = scene.started()
    scene.hear(scene.terminal.pid)
    scene.terminal.type("meanwhile\r")
    scene.terminal.wait_screen("sent b'meanwhile'")
    scene.hear(pid)
    screen = scene.terminal.wait_screen(f"sent b'{PASTED.format('one')}'")
    assert screen.index("sent b'meanwhile'") < screen.index("pasted")


@pytest.mark.slow
@pytest.mark.requirement("TERM-10")
def test_enter_is_not_pressed_where_the_prompt_is_not_seen(scene: Scene) -> None:
    command(scene.terminal, "let g:vim_mcp_claude_command += ['mute']")
    scene.terminal.type(":ClaudeCodeAsk one\r")
    scene.hear(scene.started())
    scene.terminal.wait_screen("vim-mcp: Claude takes no prompt now: :ClaudeCodeFocus shows why")
    assert "sent" not in scene.terminal.text()


@pytest.mark.requirement("TERM-10")
def test_keys_in_a_prompt_are_no_keys(scene: Scene) -> None:
    scene.terminal.type(r':call vim_mcp#prompt#ask(0, 0, 0, "a\e[201~\rb\x03 @c", 1)' + "\r")
    scene.hear(scene.started())
    scene.terminal.wait_screen(f"sent b'{PASTED.format('a[201~b @c ')}'")


@pytest.mark.requirement("TERM-10")
@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("ClaudeCodeAsk", "what shall Claude be asked? :ClaudeCodeAsk {text}"),
        ("enew | 1ClaudeCodeAsk x", "not mentioned: this buffer has no file"),
        ("edit .env | 1ClaudeCodeAsk x", "not mentioned: it matches g:vim_mcp_ignore"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_message(scene: Scene, line: str, complaint: str) -> None:
    scene.terminal.type(f":{line}\r")
    scene.terminal.wait_screen(f"vim-mcp: {complaint}")


@pytest.mark.requirement("TERM-10")
def test_a_claude_that_runs_elsewhere_is_asked_there(scene: Scene) -> None:
    scene.link.send({"type": "ide", "clients": 1})
    scene.link.request("ping")
    scene.terminal.type(":ClaudeCodeAsk x\r")
    scene.terminal.wait_screen("vim-mcp: Claude runs elsewhere: ask it there")

"""What travels between hub and editor, as types: docs/protocol.md's reference is made from them. Pure.

Lines and columns are 1-based and columns bytes, unless a type says otherwise.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Access = Literal["edit", "read", "off"]
CodePermission = Literal["ask", "allow", "off"]

# Objects that messages, parameters and results hold


class Place(TypedDict):
    """A place as Claude Code counts: 0-based, characters in UTF-16 units."""

    line: int
    character: int


class SelectionObject(TypedDict):
    """What is selected, or where the cursor is (`empty`); `lines` are its text, cut at 64 KB."""

    file: str
    lines: list[str]
    start: Place
    end: Place
    empty: bool


class BufferObject(TypedDict):
    """A buffer. `ignored`: it matches `g:vim_mcp_ignore`, so its text is never given."""

    id: int
    name: str
    listed: bool
    loaded: bool
    modified: bool
    readonly: bool
    filetype: str
    buftype: str
    line_count: int
    changedtick: int
    current: bool
    visible: bool
    ignored: bool


class WindowObject(TypedDict):
    """A window; `row`, `column`, `width` and `height` in cells of the screen."""

    id: int
    number: int
    tab: int
    buffer: int
    name: str
    cursor: list[int]
    top_line: int
    bottom_line: int
    row: int
    column: int
    width: int
    height: int
    current: bool
    type: str


class StateObject(TypedDict):
    """An editor's state as it is pushed: without text, at most 200 buffers."""

    current_buffer: BufferObject
    windows: list[WindowObject]
    buffers: list[BufferObject]
    cursor: list[int]
    mode: str
    cwd: str
    folders: list[str]
    access: Access
    execute_code: CodePermission


class Info(TypedDict):
    """What an editor tells of itself when it registers."""

    pid: int
    cwd: str
    main_file: str
    buffers: list[str]
    version: str
    editor: NotRequired[str]
    plugin_version: NotRequired[str]
    project: NotRequired[str]
    short_lived: NotRequired[bool]
    access: NotRequired[Access]
    encoding: NotRequired[str]
    state_interval: NotRequired[int]
    folders: NotRequired[list[str]]
    ide_name: NotRequired[str]
    claude_config_dir: NotRequired[str]
    execute_code: NotRequired[CodePermission]


class Error(TypedDict):
    """Why a request has failed; `data.kind` classifies it."""

    code: int
    message: str
    data: NotRequired[dict[str, Any]]


# What an editor says


class Register(TypedDict):
    """The first line: who this is."""

    type: Literal["register"]
    instance_id: str
    info: Info


class Result(TypedDict):
    """The answer to a request."""

    id: int
    result: dict[str, Any]


class Failure(TypedDict):
    """The answer to a request that has failed."""

    id: int
    error: Error


class Event(TypedDict):
    """The state has changed, by these autocommands or methods; `event` is the first of `events`."""

    type: Literal["event"]
    event: str
    events: list[str]
    state: StateObject


class Begun(TypedDict):
    """A request that changes something is being served from now on."""

    type: Literal["begun"]
    request: int


class Waiting(TypedDict):
    """A request has come that cannot be served before the editor's user has done something."""

    type: Literal["waiting"]
    mode: str
    waiting_for: str


class Running(TypedDict):
    """If this is not taken back by 0 within so many ms, the editor wants to be interrupted."""

    type: Literal["running"]
    timeout: int


class EditorBye(TypedDict):
    """The editor leaves on purpose."""

    type: Literal["bye"]


class SelectionTold(TypedDict):
    """The selection, or the file that is shown, has changed."""

    type: Literal["selection"]
    selection: SelectionObject


class Mention(TypedDict):
    """The user wants this file, or these lines of it, in the prompt: in that of one client, or of all."""

    type: Literal["mention"]
    file: str
    first: NotRequired[int]
    last: NotRequired[int]
    pid: NotRequired[int]


class DiagnosticsChanged(TypedDict):
    """The diagnostics of these files have changed."""

    type: Literal["diagnostics"]
    files: list[str]


class Log(TypedDict):
    """Something has happened that Claude Code counts."""

    type: Literal["log"]
    name: str
    data: dict[str, Any]


class Rested(TypedDict):
    """The title of a terminal tells that the Claude Code with that process, or below it, works no more."""

    type: Literal["rested"]
    pid: int


class Verdict(TypedDict):
    """The user's verdict on a review."""

    type: Literal["review"]
    review: str
    verdict: Literal["accepted", "rejected"]
    reason: NotRequired[str]


class Answer(TypedDict):
    """The user's answer to a question."""

    type: Literal["answer"]
    question: str
    answer: Literal["once", "always", "no", "unanswered"]


class KernelAsked(TypedDict):
    """What the user asks of the Jupyter kernel; which other fields there are depends on `do`."""

    type: Literal["kernel"]
    do: Literal["status", "interrupt", "restart", "shutdown", "attach", "run", "watch"]
    file: NotRequired[str]
    lines: NotRequired[list[str]]
    settings: NotRequired[dict[str, Any]]
    cell: NotRequired[int]
    on: NotRequired[bool]


FromEditor = (
    Register | Result | Failure | Event | Begun | Waiting | Running | EditorBye | SelectionTold | Mention
    | DiagnosticsChanged | Log | Rested | Verdict | Answer | KernelAsked
)  # fmt: skip

# What the hub says


class Registered(TypedDict):
    """The editor is taken in, under this name."""

    type: Literal["registered"]
    instance_id: str


class Refused(TypedDict):
    """The editor is not taken in; the hub hangs up."""

    type: Literal["refused"]
    code: int
    message: str


class Request(TypedDict):
    """A call of one of the methods; `expires` is Unix time in seconds."""

    id: int
    method: str
    params: dict[str, Any]
    expires: NotRequired[int]


class Cancel(TypedDict):
    """The request of this id is withdrawn."""

    cancel: int


class HubBye(TypedDict):
    """The hub leaves: `stop`, `upgrade` or `idle`."""

    type: Literal["bye"]
    reason: str


class Environment(TypedDict):
    """The editor's port is open: what it has to set in its own environment."""

    type: Literal["environment"]
    variables: dict[str, str]


class Unreachable(TypedDict):
    """Claude Code cannot find the editor, for this reason; it is tried again, and `environment` says that it can."""

    type: Literal["unreachable"]
    reason: str


class Ide(TypedDict):
    """So many Claude Codes are connected, and do this: `waiting`, `working`, `idle`, or "" where nothing is known."""

    type: Literal["ide"]
    clients: int
    activity: str


class Listening(TypedDict):
    """These clients hear what is sent, by their process ids where they have told them."""

    type: Literal["listening"]
    pids: list[int | None]


class Turn(TypedDict):
    """A client's user has sent a prompt, or Claude has come to an end."""

    type: Literal["turn"]
    turn: Literal["begin", "end"]


class ToolPlace(TypedDict):
    """A tool of Claude Code's has read or changed this file, there."""

    type: Literal["place"]
    file: str
    lines: list[int] | None


class Expect(TypedDict):
    """A client is about to write this file."""

    type: Literal["expect"]
    file: str


class Disk(TypedDict):
    """These files have changed on disk; none: any may have."""

    type: Literal["disk"]
    files: list[str]


class KernelWords(TypedDict):
    """What came of something that was asked of the kernel."""

    type: Literal["kernel"]
    words: str


class KernelCell(TypedDict):
    """What came of the user's own code; with `runs` how far it is."""

    type: Literal["kernel_cell"]
    cell: int | None
    lines: list[str]
    failed: bool
    runs: NotRequired[bool]


class KernelOutput(TypedDict):
    """What runs in the kernel, for an editor that watches it; which other fields there are depends on `kind`."""

    type: Literal["kernel_output"]
    kind: str
    name: NotRequired[str]
    client: NotRequired[str]
    lines: NotRequired[list[str]]
    failed: NotRequired[bool]
    words: NotRequired[str]


ToEditor = (
    Registered | Refused | Request | Cancel | HubBye | Environment | Unreachable | Ide | Listening | Turn
    | ToolPlace | Expect | Disk | KernelWords | KernelCell | KernelOutput
)  # fmt: skip

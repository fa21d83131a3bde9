"""The errors of the domain, each with the code under which it reaches the wire."""

from __future__ import annotations

from typing import Any

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NO_INSTANCE_SELECTED = 1001
INSTANCE_NOT_FOUND = 1002
CONNECTION_LOST = 1003
COMMAND_FAILED = 1004


class VimMcpError(Exception):
    """What went wrong, in a sentence that a model or a person can act on.

    `message` is that sentence, `data` holds details for programs (`instance_id`, `original_error`, `kind`, …).
    Requirement VIM-ERR-07.
    """

    code = INTERNAL_ERROR

    def __init__(self, message: str, /, **data: Any):
        super().__init__(message)
        self.message = message
        self.data = {key: value for key, value in data.items() if value is not None}


class InvalidParameters(VimMcpError):
    """The caller's parameters do not fit."""

    code = INVALID_PARAMS


class NoInstanceSelected(VimMcpError):
    """Several editors could be meant, or none is there."""

    code = NO_INSTANCE_SELECTED


class InstanceNotFound(VimMcpError):
    """No connected editor has the instance id that was named."""

    code = INSTANCE_NOT_FOUND


class ConnectionLost(VimMcpError):
    """The editor left, or was lost, before it answered."""

    code = CONNECTION_LOST


class CommandFailed(VimMcpError):
    """The editor answered that it could not, or may not, do it; `data["kind"]` says why."""

    code = COMMAND_FAILED


class EditorBusy(CommandFailed):
    """The editor did not answer in time: it waits for its person, or runs something; `data["waiting_for"]`."""

    def __init__(self, message: str, /, **data: Any):
        super().__init__(message, kind="busy", **data)


class EditorMethodError(VimMcpError):
    """The editor refused the request itself (unknown method, wrong parameters, an internal fault)."""

    def __init__(self, code: int, message: str, /, **data: Any):
        super().__init__(message, **data)
        self.code = code

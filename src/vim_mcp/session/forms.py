"""Our tools, resources and errors in MCP's own types: the one place where the domain meets the wire."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import Iterator
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from vim_mcp.errors import INTERNAL_ERROR, INVALID_PARAMS, VimMcpError
from vim_mcp.session import resources
from vim_mcp.tools.base import Blocks, Image, Listed, Result

logger = logging.getLogger(__name__)


def described(tool: Listed) -> types.Tool:
    """A tool as it is listed."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def validated(tool: Listed, arguments: dict[str, Any]) -> Any:
    """The arguments as the tool's own type. Raises the JSON-RPC error -32602, which names what does not fit."""
    try:
        return tool.arguments.model_validate(arguments)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
        raise MCPError(INVALID_PARAMS, f"{tool.name}: {faults}") from error


@contextlib.contextmanager
def faults_told(what: str) -> Iterator[None]:
    """Answer a fault of ours, or an editor's answer of a form that was not agreed, with -32603 (VIM-ERR-11).

    The SDK would call some of them wrong parameters and give others the code 0. The exception's own words stay out of
    the log, since they may quote a buffer's text.
    """
    try:
        yield
    except (MCPError, VimMcpError):
        raise
    except Exception as error:
        name, trace = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
        logger.error("%s failed by %s:\n%s", what, name, trace)
        told = f"{what} failed inside vim-mcp ({name}): please report it with what `vim-mcp logs` shows"
        raise MCPError(INTERNAL_ERROR, told) from error


def succeeded(result: Result | Blocks) -> types.CallToolResult:
    """A tool's result: its words for a model, its fields for a program; or its blocks."""
    if isinstance(result, Blocks):
        return told(result)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=result.words())],
        structured_content=result.model_dump(mode="json", exclude_none=True),
    )


def told(result: list[str] | Blocks) -> types.CallToolResult:
    """The result of a tool that gives texts, or texts and images: a block for each."""
    blocks = result if isinstance(result, Blocks) else Blocks(result)
    content = [_block(block) for block in blocks.blocks]
    if blocks.failed:
        return types.CallToolResult(content=content, is_error=True)
    return types.CallToolResult(content=content)


def _block(block: str | Image) -> types.ContentBlock:
    if isinstance(block, Image):
        return types.ImageContent(type="image", data=block.data, mime_type=block.mime_type)
    return types.TextContent(type="text", text=block)


def failed(error: VimMcpError) -> types.CallToolResult:
    """A failed call: a sentence for the model, code and details in `_meta`, and no structured content."""
    meta = {"code": error.code, "message": error.message, "data": error.data}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=error.message)], is_error=True, _meta=meta
    )  # fmt: skip


def listed_resource(resource: resources.Resource) -> types.Resource:
    """A resource as it is listed."""
    return types.Resource(
        uri=resource.uri, name=resource.name, description=resource.description, mime_type=resource.mime_type
    )


def listed_template(resource: resources.Resource) -> types.ResourceTemplate:
    """A template as it is listed."""
    return types.ResourceTemplate(
        uri_template=resource.uri, name=resource.name, description=resource.description, mime_type=resource.mime_type
    )


def content(piece: resources.Content) -> types.TextResourceContents:
    """One piece of what was read."""
    return types.TextResourceContents(uri=piece.uri, mime_type=piece.mime_type, text=piece.text, _meta=piece.meta)

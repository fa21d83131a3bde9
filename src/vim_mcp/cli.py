"""The command line. Nothing heavy is imported before the arguments are known; without any, this is the relay."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def main() -> int:
    """Run `vim-mcp` with this process's arguments and return its exit status.

    0: done; 1: it could not be done, the reason is on stderr; 2: bad arguments or a bad setting; 3: no editor is there,
    or several could be meant.
    """
    from vim_mcp.paths import ConfigError
    from vim_mcp.starter import HubUnreachable

    try:
        status = _run()
        if sys.stdout:
            sys.stdout.flush()
        return status
    except ConfigError as error:
        print(f"vim-mcp: {error}", file=sys.stderr)
        return 2
    except HubUnreachable as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough, such as `head`
        _hush()
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _hush()
        return _fail(f"what it says cannot be written: {error.strerror}")


def _run() -> int:
    if sys.argv[1:] == ["hook"]:  # Claude Code waits for it
        return _hook()
    if sys.argv[1:2] == ["complete"]:
        return _complete(sys.argv[2:])
    return _relay() if len(sys.argv) == 1 else _command()


def _hush() -> None:
    """Let what is still to be written go nowhere, else it would fail once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _relay() -> int:
    from vim_mcp.relay import run

    if os.environ.get("VIM_MCP_LOG_LEVEL") or os.environ.get("VIM_MCP_IDLE_TIMEOUT"):
        from vim_mcp import config  # a hub that is started would refuse these; paths checks the rest

        config.check()
    return run()


def _hook() -> int:
    from vim_mcp import hook

    return hook.run()


def _complete(words: list[str]) -> int:
    from vim_mcp import completion

    return completion.run(_parser(), words)


def _command() -> int:
    arguments = _arguments()
    run = getattr(arguments, "run", None)
    return run(arguments) if run else _relay()


def _arguments() -> argparse.Namespace:
    parser = _parser()
    arguments, rest = parser.parse_known_args()
    if rest and (arguments.command != "call" or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:  # argparse takes those behind an option for strangers
        arguments.words += rest
    return arguments


def _parser() -> argparse.ArgumentParser:
    import argparse

    from vim_mcp import __version__, completion, shell

    parser = argparse.ArgumentParser(
        prog="vim-mcp",
        description="Vim and Neovim as editors for every MCP client. Without a command: an MCP server on stdin and "
        "stdout, which is what an MCP client's configuration names.",
    )
    parser.add_argument("--version", action="version", version=f"vim-mcp {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_setting_up(commands)
    _add_looking_after(commands)
    shell.add_commands(commands)
    completion.add_command(commands)
    _add_started_by_others(commands)
    return parser


def _add_setting_up(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    install = commands.add_parser("install", help="place the plugin for Vim and Neovim, and register with Claude Code")
    which = "place it for this editor alone; may be given for each (default: those that are installed)"
    install.add_argument("--editor", action="append", default=[], choices=("vim", "nvim"), help=which)
    install.add_argument("--no-claude", action="store_true", help="leave Claude Code's configuration as it is")
    install.set_defaults(run=_install)
    uninstall = commands.add_parser("uninstall", help="take away what `install` has made")
    uninstall.set_defaults(run=_uninstall)
    for parser in (install, uninstall):
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    doctor = commands.add_parser("doctor", help="say what is in order and what is not, with the command that mends it")
    doctor.add_argument("--json", action="store_true", help="as one JSON object")
    doctor.add_argument("--claude", metavar="COMMAND", default="", help="look at this one instead of `claude`")
    doctor.add_argument("--inside", action="store_true", help="ask no editor anything: one waits for the answer")
    doctor.set_defaults(run=_doctor)


def _add_looking_after(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    status = commands.add_parser("status", help="show the hub, its editors and its clients")
    status.add_argument("--json", action="store_true", help="as one JSON object")
    status.add_argument(
        "--watch", action="store_true", help="go on as it changes, to CTRL-C; with --json a line each time"
    )
    status.set_defaults(run=_status)
    logs = commands.add_parser("logs", help="show the hub's log")
    logs.add_argument("-n", "--lines", type=_count, default=100, metavar="N", help="the last N lines (default: 100)")
    logs.add_argument("-f", "--follow", action="store_true", help="go on as the log grows")
    logs.set_defaults(run=_logs)
    stop = commands.add_parser("stop", help="end the hub; the next client, or :VimMCPReconnect, starts one again")
    stop.set_defaults(run=_stop)


def _add_started_by_others(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """What a person seldom types: clients, editors and Claude Code start it."""
    hub = commands.add_parser("hub", help="run the hub that editors and clients meet at (started when needed)")
    hub.add_argument("--background", action="store_true", help="detach, and return once a hub listens")
    hub.set_defaults(run=_hub)
    pipe = commands.add_parser("pipe", help="stdin and stdout to the hub's socket, for editors that cannot dial it")
    pipe.add_argument("--no-start", action="store_true", help="fail where no hub runs, instead of starting one")
    pipe.set_defaults(run=_pipe)
    # For the help alone: main() runs it before there is a parser.
    commands.add_parser("hook", help="tell the hub what a hook of Claude Code (JSON on stdin) says; never fails")


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _install(arguments: argparse.Namespace) -> int:
    from vim_mcp import install

    return install.install(arguments.editor, not arguments.no_claude, arguments.dry_run)


def _uninstall(arguments: argparse.Namespace) -> int:
    from vim_mcp import install

    return install.uninstall(arguments.dry_run)


def _doctor(arguments: argparse.Namespace) -> int:
    from vim_mcp import doctor

    return doctor.run(arguments.json, arguments.claude, arguments.inside)


def _hub(arguments: argparse.Namespace) -> int:
    from vim_mcp import config, daemon
    from vim_mcp.socketlock import HubRunning

    settings = config.load()
    try:
        return daemon.run_detached(settings) if arguments.background else daemon.run(settings)
    except HubRunning as error:
        return _fail(str(error))


def _status(arguments: argparse.Namespace) -> int:
    from vim_mcp import status

    return status.watch(arguments.json) if arguments.watch else status.show(arguments.json)


def _stop(_arguments: argparse.Namespace) -> int:
    from vim_mcp import control

    return control.stop()


def _logs(arguments: argparse.Namespace) -> int:
    from vim_mcp import control

    return control.logs(arguments.lines, arguments.follow)


def _pipe(arguments: argparse.Namespace) -> int:
    from vim_mcp import pipe

    return pipe.run(start=not arguments.no_start)


def _fail(reason: str) -> int:
    print(f"vim-mcp: {reason}", file=sys.stderr)
    return 1

# The MCP server that Claude Code starts: the command that the editor names, else `vim-mcp` on PATH, else the one of the
# clone or the environment in which this file lies. Where there is none, the first request is answered with what to do:
# /mcp shows that, and of what a server writes to stderr or ends with it shows nothing. (In a file of its own, since
# /mcp blots the words of a command's arguments out of messages.)
test -n "$VIM_MCP_COMMAND" || VIM_MCP_COMMAND=vim-mcp;
eval "set -- $VIM_MCP_COMMAND"
command -v "$1" >/dev/null && exec "$@"
here=${0%/*}
for program in "$here/../../../.venv/bin/vim-mcp" "$here/../../../../../bin/vim-mcp"; do
    test -x "$program" && exec "$program"
done
name=$(printf %s "$1" | tr -d '"\\[:cntrl:]')
fault="there is no program $name here: put vim-mcp on PATH (vim-mcp doctor, called by its path, says how), or start Claude \
by :ClaudeCode in the editor; then choose Reconnect"
echo "vim-mcp: $fault" >&2
read -r request
id=$(printf %s "$request" | sed -n 's/.*"id": *\([0-9][0-9]*\).*/\1/p')
printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"%s"}}\n' "${id:-0}" "$fault"
exit 127

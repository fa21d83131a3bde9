#compdef vim-mcp
# zsh completion for vim-mcp. In ~/.zshrc, after compinit:  eval "$(vim-mcp completion zsh)"
_vim_mcp() {
  local line name
  local -a names meanings open open_meanings
  for line in ${(f)"$("${words[1]}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    name=${line%%$'\t'*}
    if [[ $name == *= ]]; then
      open+=($name)
      open_meanings+=("$name")
    else
      names+=($name)
      meanings+=("${line/$'\t'/  -- }")
    fi
  done
  (( $#names )) && compadd -l -d meanings -a names
  (( $#open )) && compadd -S '' -d open_meanings -a open
}
if [[ $funcstack[1] == _vim_mcp ]]; then
  _vim_mcp "$@"
else
  compdef _vim_mcp vim-mcp
fi

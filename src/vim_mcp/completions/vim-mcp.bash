# bash completion for vim-mcp. In ~/.bashrc:  eval "$(vim-mcp completion bash)"
_vim_mcp() {
  local line=${COMP_LINE:0:COMP_POINT} words word start candidate
  # bash's own words end at ":" and "="; ours end at blanks, as the command will get them.
  read -ra words <<<"$line"
  [[ $line == *[[:blank:]] ]] && words+=("")
  word=${words[${#words[@]} - 1]}
  # What stands before the last ":" or "=" is not replaced, so it must not be repeated.
  start=
  [[ $word == *[:=]* && $COMP_WORDBREAKS == *[:=]* ]] && start=${word%"${word##*[:=]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    COMPREPLY+=("${candidate#"$start"}")
  done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _vim_mcp vim-mcp

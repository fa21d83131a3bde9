# fish completion for vim-mcp. In a shell once:
#   vim-mcp completion fish > ~/.config/fish/completions/vim-mcp.fish
function __vim_mcp_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    $words[1] complete $words[2..] (commandline --current-token --cut-at-cursor) 2>/dev/null
end
complete --command vim-mcp --no-files --arguments '(__vim_mcp_complete)'

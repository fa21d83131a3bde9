" An extension for vim-airline: what Claude does, in section x; without a Claude there is nothing of it.

function! airline#extensions#vim_mcp#init(extension) abort
  call a:extension.add_statusline_func('airline#extensions#vim_mcp#apply')
endfunction

" A window's status line is being put together.
function! airline#extensions#vim_mcp#apply(...) abort
  let section = get(w:, 'airline_section_x', get(g:, 'airline_section_x', ''))
  if stridx(section, 'vim_mcp#statusline') < 0
    let w:airline_section_x = '%(%{vim_mcp#statusline()} %)' . section
  endif
endfunction

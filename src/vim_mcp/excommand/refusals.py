"""Why well-known commands are refused, and what does the same thing instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vim_mcp.excommand.names import spellings

_REFUSALS: Final = (
    ("it runs a shell or another program",
     "! ter[minal] sh[ell] mak[e] lmak[e] gr[ep] lgr[ep] grepa[dd] lgrepa[dd] st[op] sus[pend]"),
    ("it runs code of another language",
     "lua luad[o] luaf[ile] py[thon] pydo pyf[ile] py3 py3do py3f[ile] pyx pyxdo pe[rl] perld[o] rub[y] rubyd[o] tc[l] "
     "mz[scheme]"),
    ("it runs scripts",
     "so[urce] ru[ntime] pa[ckadd] packl[oadall] cal[l] exe[cute] ev[al] if el[se] wh[ile] for try th[row] fu[nction] "
     "delf[unction] lo[adview]"),
    ("it changes variables, which may be settings", "let cons[t] unl[et]"),
    ("it changes the editor's configuration",
     "au[tocmd] aug[roup] do[autocmd] doautoa[ll] map nm[ap] vm[ap] im[ap] no[remap] nn[oremap] ino[remap] unm[ap] "
     "mapc[lear] ab[breviate] com[mand] delc[ommand] sy[ntax] hi[ghlight] colo[rscheme] filet[ype] setf[iletype] "
     "sig[n] me[nu]"),
    ("it writes files: vim_edit with save: true writes a buffer",
     "w[rite] wq wa[ll] wqa[ll] x[it] exi[t] xa[ll] up[date] sav[eas] wn[ext] mks[ession] mkv[imrc] mkvie[w] wund[o]"),
    ("it opens files: use vim_edit with the file's name, or :buffer for an open one",
     "e[dit] ex vi[sual] vie[w] sv[iew] fin[d] sf[ind] tabf[ind] dr[op] r[ead] n[ext] ar[gs] al[l] ta[g] "
     "tj[ump] ts[elect] sta[g] he[lp] ene[w] pt[ag] ped[it]"),
    ("it opens files: use vim_navigate for the entries of the quickfix list",
     "cc cn[ext] cp[revious] cN[ext] cr[ewind] cfir[st] cla[st] cnf[ile] ll lne[xt] lp[revious] lN[ext] lr[ewind]"),
    ("it shows text of other files: use vim_get_diagnostics", "cl[ist] lli[st]"),
    ("it reads files: use vim_search", "vim[grep] lv[imgrep] cf[ile] cg[etfile] cex[pr] cgete[xpr] lf[ile] lex[pr]"),
    ("it runs its command in other buffers too: use :global, or go there by :buffer first",
     "argdo bufd[o] windo tabd[o] cdo cfd[o] ld[o] lfd[o] foldd[oopen] folddoc[losed]"),
    ("it may lose the user's work, or ends the editor: :close and :hide close a window",
     "q[uit] qa[ll] quita[ll] cq[uit] bd[elete] bw[ipeout] bun[load] ba[ll]"),
    ("it repeats a substitution, whose replacement may be an expression of the user's: write it out with :s",
     "& && ~ sm[agic] sno[magic]"),
    ("it runs a register's contents as commands", "@ *"),
    ("it changes the directory that file names are relative to", "cd chd[ir] lc[d] lch[dir] tc[d] tch[dir]"),
    ("it keeps the editor waiting or changes the mode under the user's hands",
     "sl[eep] star[tinsert] stopi[nsert] startr[eplace] startg[replace] a[ppend] i[nsert] c[hange] vi[sual] o[pen]"),
    ("it switches off what protects the user, or prompts",
     "noa[utocmd] nos[wapfile] conf[irm] bro[wse] verb[ose] uns[ilent] san[dbox] debug"),
    ("the output is returned anyhow: run the command itself", "redi[r] filt[er] echom[sg] echoe[rr]"),
    ("it may call the external program 'diff'", "diffthis diffs[plit] diffp[atch] diffg[et] diffpu[t] diffu[pdate]"),
)  # fmt: skip

REFUSALS: Final[Mapping[str, str]] = {
    spelling: why
    for why, notations in reversed(_REFUSALS)
    for notation in notations.split()
    for spelling in spellings(notation)
}
"""Every way to write a command that is refused for a known reason, with the reason."""

/** Style rules of terms and of their meanings, which lie over the page. */
export const termRules = `
.term{cursor:help;text-decoration:underline dotted;text-decoration-color:var(--muted);text-underline-offset:.22em}
.term:focus-visible{outline:2px solid var(--blue);outline-offset:2px;border-radius:2px}
#term-meaning{position:fixed;z-index:2;width:max-content;max-width:min(22rem,calc(100vw - 12px));padding:.55rem .8rem;border-radius:.5rem;
  background:var(--ink);color:var(--paper);font-size:.875rem;line-height:1.45}
#term-meaning[hidden]{display:none}
@media print{.term{text-decoration:none}}`;

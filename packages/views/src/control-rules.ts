/** Style rules of buttons, sliders and inputs. A target is at least 24 pixels high (WCAG 2.2), on touch screens 44. */
export const controlRules = `
button,input,select{font:inherit;color:inherit}
button,input:not([type=range]),select{min-height:2.1rem;padding:.25rem .7rem;border:1px solid var(--muted);border-radius:.4rem;
  background:var(--paper)}
button{cursor:pointer}
button:hover:not(:disabled){border-color:var(--blue);color:var(--blue)}
button:disabled{opacity:.55;cursor:default}
:is(button,input,select):focus-visible{outline:2px solid var(--blue);outline-offset:2px}
input[type=range]{accent-color:var(--blue);min-height:2.1rem;cursor:pointer}
.threshold{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem;border:0;margin:0 0 .8rem;padding:0;min-width:0}
.threshold legend{padding:0;margin-bottom:.25rem;font-size:.9375rem}
.threshold [type=range]{flex:1 1 16rem;min-width:0;margin:0}
.threshold [type=number]{width:9.5rem}
.costs label{display:flex;align-items:center;gap:.5rem;font-size:.9375rem}
.costs label{min-width:0}
.costs label span{min-width:0}
.costs [type=number]{flex:none;width:5rem}
.scroll+.tiles{margin-top:.8rem}
.pair+details{margin-top:.8rem}
.cell{display:block;width:100%;min-height:1.7rem;margin:-.2rem 0;padding:0 .2rem;border-color:transparent;background:none;font-weight:inherit;
  text-align:inherit;text-decoration:underline dotted;text-underline-offset:.2em}
.cell[aria-pressed=true]{border:2px solid var(--ink)}
@media (pointer:coarse){button,input,select,.threshold [type=range]{min-height:2.75rem}}
@media print{.threshold{display:none}}`;

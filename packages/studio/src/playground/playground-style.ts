/** The style of the playground; colours come from the style sheet of the page. */
export const playgroundStyle = `
.playground{display:grid;grid-template-columns:18rem minmax(0,1fr) minmax(0,21rem);grid-template-rows:auto auto 1fr;
  gap:1.25rem 2rem;align-items:start}
.playground :is(.settings-column,.findings){grid-row:2/span 2}
.playground .picture{grid-row:2}
.playground .words{grid-column:2;grid-row:3}
.playground .words>.scroll+.scroll{margin-top:1.25rem}
.playground .intro{grid-column:1/-1}
.playground .intro>:is(h2,p){margin:0 0 .4rem;max-width:none}
.playground .see{margin:.5rem 0 0;padding-left:.7rem;border-left:3px solid var(--blue);font-size:.9375rem;line-height:1.45}
.playground .see a{color:var(--blue)}
.playground .examples ul{margin:0;padding-left:1.2rem;columns:2 22rem;column-gap:2rem;font-size:.9375rem}
.playground .examples a{color:var(--blue)}
.playground fieldset{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem .8rem;margin:0 0 1rem;min-width:0}
.playground legend{font-weight:600;padding:0 .3rem}
.playground .setting{display:grid;grid-template-columns:minmax(0,1fr) 9.75rem;gap:.1rem .6rem;align-items:center;margin:.4rem 0}
.playground .setting.wide{grid-template-columns:minmax(0,1fr)}
.playground .setting label{font:inherit;color:inherit;line-height:1.3}
.playground :is(input[type=number],input[type=text],select){width:100%;min-width:0}
.playground fieldset>.hint{margin:.5rem 0 0}
.region-picture:has(:focus-visible){outline:2px solid var(--blue);outline-offset:2px}
.playground .class-choice{display:flex;flex-wrap:wrap;gap:.2rem .9rem;margin:0;padding:0;border:0}
.playground .class-choice legend{padding:0}
.playground .class-choice label{display:inline-flex;gap:.3rem;align-items:center;min-height:1.9rem}
.playground .buttons{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.4rem 0 .8rem}
.region-picture{position:relative;border-radius:.3rem}
.region-picture canvas{display:block;width:100%;aspect-ratio:1;border:1px solid var(--muted);border-radius:.3rem}
.region-picture canvas.drawable{cursor:crosshair;touch-action:none}
.region-picture .cursor-words{position:absolute;left:.5rem;bottom:.5rem;margin:0;padding:.1rem .5rem;border-radius:.3rem;
  font-size:.875rem;background:var(--paper);color:var(--ink)}
.playground .steps{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.3rem .8rem;align-items:center;margin:.7rem 0}
.playground .steps label{grid-column:1/-1;font-weight:600}
.playground .steps input{width:100%;padding:0;border:0;accent-color:var(--blue);min-height:1.6rem}
.playground .key{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:.5rem 0;padding:0;font-size:.875rem}
.playground .key svg{vertical-align:-.15em;margin-right:.3rem}
.playground .errors th{font-weight:400;padding-right:.8rem;overflow-wrap:anywhere;line-height:1.4}
.playground .errors td.number{white-space:nowrap;padding-right:0;vertical-align:top}
.playground .errors small{display:block;font-weight:400;color:var(--muted)}
.playground .errors i{position:relative;display:block;height:.7rem;margin:.25rem 0 .1rem;background:var(--panel);border-radius:2px}
.playground .errors u{display:block;height:100%;background:var(--bar);border-radius:2px}
.playground .errors u.bound{background:repeating-linear-gradient(45deg,var(--orange) 0 3px,var(--panel) 3px 6px)}
.playground .errors .faint :is(th,td){color:var(--muted);font-weight:400}
.playground .errors s{position:absolute;top:-3px;bottom:-3px;border-left:2px solid var(--ink)}
.playground .bounds dt{font-weight:600}
.playground .bounds dd{margin:0 0 .6rem;font-size:.875rem}
.playground .bounds small{color:var(--muted)}
.playground .regions caption{text-align:left;font-weight:600;padding:.3rem 0}
.playground .regions{font-size:.875rem}
.playground .regions thead th{white-space:normal;vertical-align:bottom}
.playground .regions td.number{font-weight:400;white-space:nowrap}
.playground .regions :is(th,td){padding-right:.6rem}
.playground .regions th[scope=row]{min-width:6rem}
.playground .fault{border-left:4px solid var(--red);background:var(--panel);padding:.5rem .8rem;border-radius:.3rem;margin:0 0 .8rem}
.playground .status{min-height:1.6em;margin:.4rem 0;color:var(--muted);font-size:.875rem}
.network{margin:.8rem 0}
.network canvas{display:block;width:100%;color:var(--muted)}
.network figcaption{font-size:.875rem;color:var(--muted)}
.small-curve{margin:.8rem 0;max-width:24rem}
.small-curve svg{width:100%;height:auto}
.small-curve text{font-size:11px;fill:var(--muted)}
.small-curve path{fill:none}
.small-curve .axis{stroke:var(--line)}
.small-curve .dashed{stroke:var(--blue);stroke-width:2;stroke-dasharray:5 4}
.small-curve .solid{stroke:var(--orange);stroke-width:2}
.small-curve .here{stroke:var(--muted)}
@media (max-width:70rem){.playground{grid-template-columns:17rem minmax(0,1fr)}
  .playground .findings{grid-column:1/-1;grid-row:4}}
@media (max-width:47rem){.playground{grid-template-columns:minmax(0,1fr)}
  .playground :is(.picture,.words,.settings-column,.findings){grid-column:auto;grid-row:auto}
  .playground .settings-column{display:contents}.playground .settings-column>*{order:1;margin:0}.playground .picture{order:2}
  .playground .findings{order:3}.playground .settings-column>.options{order:4}.playground .words{order:5}}
@media (hover:none) and (pointer:coarse){.playground .keys{display:none}}
@media print{.playground .settings-column,.playground .steps{display:none}}
`;

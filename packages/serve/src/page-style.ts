/** The styles of the pages. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #1c2430; --soft: #5a6675; --line: #d9dee6;
  --accent: #1f5fbf; --on-accent: #ffffff; --bar: #c9daf3; --good: #1d6b3a; --warn: #8a5300; --bad: #a32018;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c; --card: #1a2029; --ink: #e6eaf0; --soft: #9aa6b5; --line: #323b48;
    --accent: #7fb0ff; --on-accent: #0d1420; --bar: #2b4468; --good: #78d09a; --warn: #f0bd66; --bad: #ff9a90;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .2rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.1rem 0 .4rem; }
p { margin: .3rem 0; }
a { color: var(--accent); }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.2rem; margin: 1rem 0; }
.columns { display: grid; gap: 0 1rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 56rem) { .columns { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; } }
.fields { display: grid; margin-top: .8rem; gap: .8rem 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12rem), 1fr)); }
.fields label { display: flex; flex-direction: column; justify-content: flex-end; }
.fields .long { grid-column: 1 / -1; }
.fields.many { max-height: 32rem; overflow: auto; padding: 2px; }
label { display: block; font-size: .875rem; color: var(--soft); overflow-wrap: anywhere; }
input, select, textarea, button { font: inherit; color: inherit; }
input, select, textarea {
  display: block; width: 100%; margin-top: .2rem; padding: .4rem .55rem;
  background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; color: var(--ink);
}
textarea { font: .8125rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; min-height: 9rem; resize: vertical; }
button {
  background: var(--accent); color: var(--on-accent); border: 0; border-radius: .4rem;
  padding: .5rem 1.2rem; font-weight: 600; cursor: pointer;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: center; margin-top: 1.1rem; }
.actions label { display: flex; align-items: center; gap: .45rem; }
.actions input { width: auto; margin: 0; }
pre {
  margin: .4rem 0; padding: .7rem .8rem; background: var(--ground); border: 1px solid var(--line); border-radius: .4rem;
  overflow: auto; font: .8125rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td { min-width: 5rem; }
th { color: var(--soft); font-weight: 500; white-space: nowrap; }
h1 .soft, h2 .soft { font-weight: 400; }
#curl, #reply { max-height: 26rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.answer { font-size: 1.4rem; font-weight: 650; overflow-wrap: anywhere; }
.bars { list-style: none; margin: .6rem 0 0; padding: 0; }
.bars li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .8rem; margin: .45rem 0; }
.bars span:first-child { overflow-wrap: anywhere; }
.bars progress { grid-column: 1 / -1; width: 100%; height: .5rem; accent-color: var(--accent); }
details { margin-top: .8rem; }
summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 2rem; color: var(--soft); font-size: .875rem; }
@media (pointer: coarse) {
  input, select, button { min-height: 2.75rem; }
  .actions input { min-height: 0; width: 1.4rem; height: 1.4rem; }
  .actions label { min-height: 2.75rem; }
  footer a, main > .small a { display: inline-block; padding: .55rem 0; }
}
`;

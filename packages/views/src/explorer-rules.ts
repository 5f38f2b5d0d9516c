/** Style rules of the form for one row, of its answer and of the misclassified rows. */
export const explorerRules = `
.what-if{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.5rem 2.5rem;align-items:start}
.what-if form>button,.what-if details{margin-top:.9rem}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,9rem),1fr));gap:0 .9rem}
.field{--word:100%;display:grid;grid-row:span 3;grid-template-rows:subgrid;grid-template-columns:minmax(0,1fr);min-width:0;margin-bottom:.6rem}
.field label{align-self:end;font-size:.8125rem;line-height:1.3;padding-bottom:.15rem;color:var(--muted)}
.field input,.field select{width:100%}
.field.long{grid-column:1/-1}
.field-warning{display:block;font-size:.75rem;color:var(--amber)}
.answer{display:block;padding:.9rem 1.1rem;border-radius:.6rem;background:var(--panel);min-height:8rem}
.answer[aria-busy=true]:has(.predicted){opacity:.5;transition:opacity .2s .35s}
.answer .predicted{--word:100%;font-size:1.5rem;font-weight:650;line-height:1.2;margin:0 0 .6rem}
.answer .bars{font-size:.875rem}
.answer .bars{grid-template-columns:minmax(0,1fr) auto}
.answer .bars i{grid-column:1/-1;height:.55rem;background:var(--line)}
.answer .note{margin:.8rem 0 .3rem}
.pager{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-top:.6rem}
.pager .note{flex:1 1 12rem;margin:0;max-width:none}
.wrong-rows :is(td,th){vertical-align:middle}
.wrong-rows thead th{vertical-align:bottom}
.wrong-rows{--word:6rem}
.wrong-rows :is(td:has(button),th:has(.unseen)){position:sticky;right:0;background:var(--paper)}
@media screen and (max-width:47rem){.what-if{grid-template-columns:minmax(0,1fr)}}
@media print{.part:has(.what-if),.pager button,.wrong-rows :is(td:has(button),th:has(.unseen)){display:none}}`;

import { paletteRules } from "./colours.js";
import { controlRules } from "./control-rules.js";
import { explorerRules } from "./explorer-rules.js";
import { narrowPictureRules, pictureRules } from "./picture-rules.js";
import { termRules } from "./term-rules.js";

/** Colours of the cells of a heat map: the stronger, the larger the share. */
const shades = [1, 2, 3, 4, 5, 6]
  .map((shade) => {
    const right = Math.round(15 + 12.5 * shade);
    const wrong = Math.round(20 + 13 * shade);
    return `.heat .right${shade}{fill:color-mix(in srgb,var(--blue) ${right}%,var(--paper))}.heat .wrong${shade}{fill:color-mix(in srgb,var(--orange) ${wrong}%,var(--paper))}`;
  })
  .join("\n");

/** The style of the page: system fonts, one column, tables that scroll by themselves if they are too wide. */
export const styleSheet = `
${paletteRules(":root")}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
  font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
  font-variant-numeric:tabular-nums;overflow-wrap:break-word}
main,footer{max-width:46rem;margin:0 auto;padding:0 1rem}
main{padding-top:2rem}
footer{padding-top:1rem;padding-bottom:4rem;color:var(--muted);font-size:.875rem}
h1{font-size:1rem;font-weight:600;margin:0;color:var(--muted)}
h2{font-size:1.25rem;line-height:1.3;font-weight:650;margin:0 0 1rem}
h3{font-size:1rem;font-weight:650;margin:0 0 .4rem}
h4{font-size:.875rem;font-weight:600;margin:0 0 .4rem;color:var(--muted)}
p{margin:0 0 1rem;max-width:42rem}
.part>h3,.fold>h3{margin-top:1.75rem}
.part{margin-top:2.5rem}
.part:focus{outline:none}
.trust+.part,.trust+[data-island] .part:first-child{margin-top:1.5rem}
[data-island]+.fold,.part+.fold{margin-top:2.5rem}
.fold{border-bottom:1px solid var(--line);padding:.7rem 0}
.fold>summary{list-style-position:inside}
.fold>summary h2{display:inline;font-size:1.0625rem;margin:0}
.fold[open]{padding-bottom:1.5rem}
.fold[open]>summary{margin-bottom:1rem}
.verdict{--mark:var(--amber);margin:.75rem 0 .8rem;padding:1rem 1.25rem 1.1rem;border:1px solid var(--line);
  border-left:5px solid var(--mark);border-radius:.6rem;background:var(--panel)}
.verdict.yes{--mark:var(--green)}
.verdict.no{--mark:var(--red)}
.verdict .headline{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 .7rem;font-size:1.3125rem;margin:0;max-width:none}
.verdict p{max-width:none;margin:.7rem 0 0}
.mark{display:inline-grid;place-items:center;width:1.75rem;height:1.75rem;border-radius:50%;background:var(--mark);
  color:var(--paper);font-size:1.0625rem;font-weight:700;line-height:1}
.trust{margin:0 0 .8rem;font-size:.9375rem}
.trust dt{font-weight:600;margin-top:.6rem}
.trust :is(dd,ul){margin:0}
.trust ul{padding-left:1.2rem}
.verdict .label{color:var(--muted);font-size:.8125rem;margin:.8rem 0 .2rem}
.verdict .proven,.verdict b{font-weight:600}
.verdict .bars{--word:10rem;margin:0;display:grid;columns:auto;grid-template-columns:fit-content(10rem) minmax(2.5rem,1fr) max-content;
  gap:.1rem .7rem}
.verdict .bars.double{--word:7rem;display:grid;grid-template-columns:repeat(2,fit-content(7rem) minmax(2.5rem,1fr) max-content);
  grid-template-rows:repeat(var(--rows),auto);grid-auto-flow:column;margin-right:-1rem}
.verdict .bars li{grid-column:span 3;display:grid;grid-template-columns:subgrid;padding:0}
.verdict .bars.double li{grid-template-columns:subgrid;padding-right:1rem}
.verdict .bars b{grid-column:3;grid-row:1;font-size:.8125rem}
.verdict .bars i{grid-column:2;grid-row:1;height:.7rem;background:var(--line)}
.warnings{list-style:none;margin:.7rem 0 0;padding:0;font-size:.9375rem;line-height:1.45}
.warnings li{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 .55rem;padding:.2rem .6rem;margin-top:.3rem}
.warnings li>:first-child{font-weight:700;color:var(--muted)}
.warnings .grave{border-radius:.4rem;padding:.45rem .6rem;background:color-mix(in srgb,var(--amber) 13%,var(--paper))}
.warnings .grave>:first-child{color:var(--amber)}
.headline{font-size:1.75rem;line-height:1.32;font-weight:650;letter-spacing:-.012em;margin:.6rem 0 .9rem;
  text-wrap:pretty}
.subtitle,.note,figcaption{color:var(--muted)}
.subtitle{font-size:.875rem;margin:0}
.subtitle span{white-space:nowrap}
.subtitle span:not(:last-child)::after{content:" ·"}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
section,.fold{scroll-margin-top:1rem}
.note,figcaption{font-size:.875rem;line-height:1.5}
.note{margin:.6rem 0 1rem}
figure{margin:0}
figure svg{display:block;max-width:100%;height:auto;overflow:visible}
figcaption{margin-top:.6rem;max-width:42rem}
.narrow{display:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:0 0 .5rem;padding:0;font-size:.875rem}
.legend li{min-width:0}
.legend svg{display:inline-block;vertical-align:middle;margin-right:.35rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:.75rem;margin:0 0 1rem}
figure+:is(.tiles,details){margin-top:1rem}
.tiles div{background:var(--panel);border-radius:.5rem;padding:.7rem .75rem;display:flex;flex-direction:column;
  justify-content:space-between}
.tiles dt{font-size:.75rem;color:var(--muted)}
.tiles dd{margin:0;font-size:1.25rem;font-weight:600}
.scroll{position:relative;overflow-x:auto;max-width:100%}
.scroll:focus-visible{outline:2px solid var(--blue);outline-offset:3px}
table{border-collapse:collapse;font-size:.9375rem;width:100%}
th,td{padding:.4rem 1.25rem .4rem 0;text-align:left;vertical-align:baseline;font-weight:400;
  border-bottom:1px solid var(--line)}
thead th{color:var(--muted);font-size:.8125rem;font-weight:600}
.number{text-align:right;white-space:nowrap}
td.number{font-weight:600}
.facts{margin:0;font-size:.9375rem}
.facts div{display:flex;gap:1rem;padding:.35rem 0;border-bottom:1px solid var(--line)}
.facts dt{flex:0 0 11rem;color:var(--muted)}
.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
.facts.short dt{flex-basis:9rem}
.facts.short{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:0 2.5rem}
.bars,table{--word:12rem}
.column-table{--word:14rem}
.bars{list-style:none;margin:0 0 .5rem;padding:0;font-size:.9375rem;
  display:grid;grid-template-columns:fit-content(15rem) max-content minmax(6rem,1fr);column-gap:1rem}
.bars li{grid-column:1/-1;display:grid;grid-template-columns:subgrid;align-items:center;padding:.16rem 0;break-inside:avoid}
.bars span{line-height:1.35}
.word-effects{margin-top:1.25rem}
.word{display:inline-block;max-width:var(--word,100%);overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
.bars b{text-align:right;font-weight:600;white-space:nowrap}
.bars i{position:relative;height:.85rem;background:var(--panel);border-radius:2px}
.bars u{position:absolute;inset:0 auto 0 0;width:var(--length);background:var(--bar);border-radius:2px}
.bars s{position:absolute;top:calc(50% - 1px);height:2px;left:var(--from);width:calc(var(--to) - var(--from));
  background:var(--ink)}
.bars .faint u{background:color-mix(in srgb,var(--bar) 30%,var(--panel))}
.bars .faint b,.bars .faint span{color:var(--muted);font-weight:400}
.bars.signed i::before{content:"";position:absolute;left:calc(50% - .5px);top:-.2rem;bottom:-.2rem;border-left:1px solid var(--muted)}
.bars.signed u{left:var(--from)}
.bars.signed .against{background:var(--orange)}
.bars.double{display:block;columns:2 20rem;column-gap:2.5rem}
.bars.double li{grid-template-columns:minmax(0,1fr) auto 6.5rem;column-gap:1rem}
.scroll+.scroll{margin-top:1.5rem}
.checked{color:var(--blue);font-weight:600;white-space:nowrap}
.assumed{color:var(--muted);font-weight:600;white-space:nowrap}
.violated{color:var(--orange);font-weight:600;white-space:nowrap}
.certificate{border:1px solid var(--line);border-radius:.6rem;padding:.9rem 1.25rem;margin-top:.75rem;
  break-inside:avoid}
.certificate+details{margin-top:1rem}
.certificate h3{margin:0}
.bound{display:flex;flex-wrap:wrap;gap:0 1.25rem;margin:0 0 .6rem;color:var(--muted);font-size:.9375rem}
.bound b{color:var(--ink)}
.certificate p:last-child{margin-bottom:0}
.certificate .legend{margin-bottom:.4rem}
.certificate summary{font-size:.875rem;color:var(--muted)}
.group>summary b{font-weight:600}
.together{margin:1rem 0 0}
.class-bounds td.number{font-weight:400}
details>summary{cursor:pointer}
details>summary:focus-visible{outline:2px solid var(--blue);outline-offset:3px}
details[open]>summary{margin-bottom:.5rem}
.part>details{margin-top:1rem}
.fold>:is(details,dl)+details{margin-top:.9rem}
.names td:not(.number),.names th[scope=row]{min-width:5rem}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1rem 2rem}
.columns tr:last-child>*{border-bottom:0}
.columns td.number{padding-right:0;font-weight:400}
.premises{list-style:none;margin:0;padding:0}
.premises li{margin:.3rem 0;font-size:.9375rem;line-height:1.5}
.column-table .picture{padding-right:.75rem}
.kind{white-space:nowrap}
.column-table th[scope=row]{min-width:10.5rem}
.spark{display:block;fill:var(--bar)}
.values{color:var(--muted);font-size:.875rem}
.as-cards th,.as-cards td{padding-right:.8rem}
.reading{font-size:.875rem;line-height:1.45}
.reading .notices li{margin:.15rem 0}
.verdict.compared{--mark:var(--blue)}
.verdict.compared .headline{display:block}
.verdict .notices{margin-top:.7rem}
.learners td.number:not(:nth-child(2)){font-weight:400}
.dense{font-size:.8125rem}
.dense :is(th,td){padding-right:.5rem}
.dense thead th{font-size:.75rem;white-space:normal;vertical-align:bottom}
.thresholds th{white-space:nowrap}
.thresholds .used>*{background:var(--panel)}
.thresholds .used th{font-weight:600}
.parts-of-model{font-size:.875rem}
.parts-of-model th,.parts-of-model td{padding-right:.8rem}
.parts-of-model td:not(.number){min-width:6.25rem}
.parts-of-model thead th:not(:first-child){min-width:4.5rem}
.parts-of-model td.number{font-weight:400}
.parts-of-model th[scope=row]{color:var(--muted);width:1.5rem}
.confusion{width:auto;border-collapse:separate;border-spacing:2px}
.confusion th,.confusion td{border:0;padding:.5rem .6rem;text-align:center}
.confusion thead :is(th,td){padding-top:.15rem;padding-bottom:.15rem}
.confusion tbody th{position:sticky;left:0;background:var(--paper)}
.confusion tbody th,.confusion thead th:first-child{text-align:right}
.confusion th span{display:inline-block;max-width:7.5rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;
  vertical-align:bottom}
.confusion tbody td{min-width:3.4rem;border-radius:3px}
.confusion .right{font-weight:700;background:color-mix(in srgb,var(--blue) calc(var(--shade)*.28%),var(--paper))}
.confusion .wrong{background:color-mix(in srgb,var(--orange) calc(8% + var(--shade)*.42%),var(--paper))}
.large .none{opacity:.6}
.broad{width:min(100vw - 4rem,64rem);max-width:none;margin-left:calc(50% - min(100vw - 4rem,64rem)/2)}
.broad table{margin:0 auto}
.confusion .none,.confusion .recall{color:var(--muted)}
.confusion .recall{white-space:nowrap;font-size:.875em}
.precision>*{padding-top:.35rem}
.precision th{color:var(--muted);font-size:.8125rem;font-weight:600}
.medium,.large{font-size:.8125rem}
.medium th,.medium td{padding:.25rem .3rem}
.large{font-size:.6875rem;line-height:1.3;border-spacing:1px}
.large th,.large td{padding:.15rem .2rem}
.medium tbody td{min-width:2rem}
.large tbody td{min-width:1.35rem}
.upright thead tr:last-child th:not(:first-child):not(:last-child) span{writing-mode:vertical-rl;rotate:180deg;
  max-width:none;max-height:8rem}
.medium thead th,.large thead th{font-size:inherit;vertical-align:bottom}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1.5rem}
.pair>*{min-width:0}
.heat .ground{fill:var(--panel)}
.heat .axis{fill:var(--muted)}
.heat text{fill:var(--ink)}
.heat .diagonal{fill:var(--paper);font-weight:600}
${shades}
.parts{position:relative;display:flex;gap:1px;height:.9rem;margin:.2rem 0 .5rem}
.parts+.legend{margin-bottom:1rem}
.parts span{min-width:1px;border-radius:2px}
.parts i{position:absolute;top:-.25rem;bottom:-.25rem;border-left:2px solid var(--ink)}
.swatch{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;vertical-align:-.08em;margin-right:.15rem}
.part0{background:var(--blue)}
.part1{background:var(--band)}
.part2{background:var(--orange)}
.part3{background:var(--muted)}
.part4{background:repeating-linear-gradient(45deg,var(--blue) 0 3px,var(--band) 3px 6px)}
.part5{background:repeating-linear-gradient(-45deg,var(--orange) 0 3px,var(--panel) 3px 6px)}
${pictureRules}
pre{background:var(--panel);border-radius:.5rem;padding:.9rem 1rem;margin:0 0 1rem;white-space:pre-wrap;
  overflow-wrap:anywhere}
pre span{display:inline-block;max-width:100%}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.notices{margin:0;padding-left:1.2rem}
.notices li{margin:.3rem 0}
${controlRules}
${explorerRules}
${termRules}
@media screen and (max-width:47rem){
  body{font-size:15px}
  main{padding-top:1.25rem}
  .part{margin-top:2rem}
  .headline{font-size:1.375rem}
  .verdict{padding:.8rem .85rem .9rem}
  .verdict .headline{font-size:1.125rem}
  .mark{width:1.5rem;height:1.5rem;font-size:.9375rem}
  .verdict .bars:not(.double){--word:100%;grid-template-columns:minmax(0,max-content) minmax(2.5rem,1fr) max-content}
  .verdict .bars:not(.double) li>span{max-width:8.5rem}
  .verdict .bars.double{grid-template-columns:fit-content(7rem) minmax(2.5rem,1fr) max-content;grid-template-rows:none;
    grid-auto-flow:row;margin-right:0;font-size:.875rem;line-height:1.35}
  .verdict .bars.double li{padding:0}
  .verdict .bars.double i{grid-column:2}
  .warnings,.verdict .abstains{font-size:.875rem;line-height:1.45}
  .warnings li{padding-left:.1rem;padding-right:.1rem}
  .warnings .grave{padding:.4rem .5rem}
  .wide{display:none}
  .narrow{display:block;max-width:30rem}
  .tiles{grid-template-columns:repeat(auto-fit,minmax(6.2rem,1fr))}
  .broad{width:auto;margin-left:0}
  table{font-size:.875rem}
  th,td{padding-right:.7rem}
  .number{white-space:normal}
  .parts-of-model{--word:7rem}
  .parts-of-model :is(th,td){padding-right:.5rem}
  .parts-of-model td:not(.number){min-width:4.5rem}
  .thresholds td.number,.candidates td{white-space:nowrap}
  .thresholds :is(th,td),.candidates :is(th,td){padding-right:.45rem}
  .thresholds thead th{white-space:normal}
  .candidates th[scope=row]{overflow-wrap:anywhere}
${narrowPictureRules}
  .facts dt{flex-basis:8rem}
  .bars{grid-template-columns:minmax(0,1fr) auto}
  .bars li{padding:.25rem 0}
  .bars i{grid-column:1/-1;height:.6rem}
  .bars.double li{grid-template-columns:minmax(0,1fr) auto 5.5rem;padding:.1rem 0}
  .bars.double i{grid-column:auto}
  .kind{display:none}
  .column-table{--word:100%}
  .column-table,.column-table tbody{display:block}
  .column-table thead{display:none}
  .column-table tr{display:grid;grid-template-columns:96px 1fr auto;gap:.15rem .75rem;align-items:center;padding:.5rem 0;
    border-bottom:1px solid var(--line)}
  .column-table tr>*{border:0;padding:0}
  .column-table th{grid-column:1/3}
  .column-table .number{font-weight:400;color:var(--muted)}
  .column-table .gaps::after{content:" missing"}
  .column-table .whole{visibility:hidden}
  .column-table .values{grid-column:2/4}
  .small{font-size:.8125rem}
  .small th,.small td{padding:.4rem .3rem}
  .small tbody td{min-width:2.6rem}
  .as-cards,.as-cards tbody{display:block}
  .as-cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
  .as-cards tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(6.5rem,1fr));gap:.5rem .75rem;
    padding:.8rem 0;border-bottom:1px solid var(--line)}
  .as-cards th,.as-cards td{border:0;padding:0;text-align:left}
  .as-cards th{grid-column:1/-1;font-weight:650;font-size:1rem}
  .as-cards th[data-label]::before{content:attr(data-label) ": ";font-weight:400}
  .as-cards td::before{content:attr(data-label);display:block;color:var(--muted);font-size:.75rem;font-weight:400}
}
@media print{
  body{font-size:10.5pt}
  *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
  main{padding-top:0}
  main,footer{max-width:none;padding-left:0;padding-right:0}
  .part{margin-top:1.75rem}
  h2,h3,summary,.fold>p:not(:last-child),.legend{break-after:avoid}
  footer{padding-bottom:0}
  :is(.part details,.trust):not([open]),:is(.outline,.outline-only,.model-section):is(details):not([open]){display:none}
  figure,tr,.tiles{break-inside:avoid}
  .scroll{overflow:visible}
  .fold::details-content,.fold>details::details-content{content-visibility:visible;height:auto}
  .fold summary{list-style:none}
  .certificate details:not([open]){display:none}
  .certificate{padding:.5rem .9rem;break-inside:auto}
  .confusion,.columns,.parts{break-inside:avoid}
  .parts+.legend{break-before:avoid}
  h2+p{break-after:avoid}
  .broad{width:auto;margin-left:0}
  .large{font-size:6.5pt}
  .large th,.large td{padding:1px}
  .large tbody td{min-width:0}
}
`;

/** Style rules of pictures: trees, cascades, hierarchies, layers, images and the leader board. */
export const pictureRules = `.class0{fill:var(--blue)}
.class1{fill:var(--orange)}
.class2{fill:var(--muted)}
.class3{fill:var(--green)}
.class4{fill:color-mix(in srgb,var(--blue) 45%,var(--paper))}
.class5{fill:color-mix(in srgb,var(--orange) 45%,var(--paper))}
.class6{fill:var(--ink)}
.class7{fill:color-mix(in srgb,var(--green) 45%,var(--paper))}
.class8{fill:var(--red)}
.class9{fill:color-mix(in srgb,var(--muted) 45%,var(--paper))}
:is(.facts,.model-section)+.model-section{margin-top:1.5rem}
.outline{margin-top:1rem}
.outline .split-picture{display:none}
.tree{--indent:1.4rem;--bar:30rem;overflow-x:auto}
.tree,.tree ul{list-style:none;margin:0;padding:0}
.tree li{position:relative;padding:.15rem 0 .6rem;line-height:1.45;font-size:.9375rem}
.tree p{margin:0 0 .2rem}
.tree ul>li{padding-left:var(--indent)}
.tree ul>li::before{content:"";position:absolute;left:.3rem;top:0;height:100%;border-left:1px solid var(--line)}
.tree ul>li:last-child::before{height:.9rem}
.tree ul>li:last-child{padding-bottom:0}
.tree ul>li{min-width:10rem}
.tree summary{cursor:pointer;margin:0 0 .2rem}
.tree ul>li::after{content:"";position:absolute;left:.3rem;top:.9rem;width:.8rem;border-top:1px solid var(--line)}
.tree .note{margin:0}
.hierarchy-list li{padding-bottom:.25rem}
.hierarchy-list .left{color:var(--blue)}
.hierarchy-list .right{color:var(--orange)}
.flow{display:block;height:.7rem;min-width:2px;margin:.1rem 0 .3rem}
:is(.tree-picture,.cascade,.hierarchy,.split-picture) text{fill:var(--ink);font:12px/1 inherit;font-family:inherit}
:is(.tree-picture,.cascade,.hierarchy,.split-picture) .muted{fill:var(--muted);font-size:11.5px}
:is(.tree-picture,.cascade) .condition{font-weight:600;font-size:12.5px}
:is(.tree-picture,.split-picture) .axis{stroke:var(--muted)}
:is(.tree-picture,.split-picture) .cut{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 2}
:is(.tree-picture,.split-picture) .numbers text{fill:var(--muted);font-size:10.5px}
:is(.tree-picture,.split-picture) .numbers .split-value{fill:var(--ink);font-weight:600}
.tree-picture .edge{stroke:var(--line)}
.tree-picture .folded{fill:var(--panel);stroke:var(--muted);stroke-dasharray:3 2}
:is(.tree-picture,.cascade,.hierarchy){display:block;max-width:100%;height:auto}
.cascade text{stroke:var(--paper);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.cascade .passed{fill:var(--panel)}
.cascade .kept{fill:color-mix(in srgb,var(--band) 45%,var(--paper))}
.cascade .gate{fill:var(--muted)}
.cascade .right{fill:var(--bar)}
.cascade .wrong{fill:var(--orange)}
.hierarchy text{font-size:13px}
.hierarchy .classes{stroke:var(--paper);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.hierarchy .edge{fill:none;stroke-width:1.6}
.hierarchy .edge.left{stroke:var(--blue)}
.hierarchy .edge.right{stroke:var(--orange);stroke-dasharray:6 3}
.hierarchy circle{fill:var(--paper);stroke:var(--muted);stroke-width:1.2}
.hierarchy .erring{stroke:var(--ink);stroke-width:3}
.layers{list-style:none;display:flex;flex-wrap:wrap;gap:.75rem 1.75rem;margin:0 0 1.25rem;padding:0;font-size:.875rem;line-height:1.4}
.layers li{position:relative;flex:1 1 9rem;max-width:14rem;display:grid;gap:.2rem;align-content:start;padding:.6rem .75rem;
  border:1px solid var(--line);border-radius:.5rem;break-inside:avoid}
.layers li:not(:last-child)::after{content:"→";position:absolute;right:-1.4rem;top:.5rem;color:var(--muted)}
.layers .members{display:flex;flex-wrap:wrap;gap:.2rem .3rem}
.layers .members span{background:var(--panel);border-radius:.3rem;padding:0 .35rem}
.layers i{height:.5rem;background:var(--panel);border-radius:2px}
.layers u{display:block;height:100%;width:var(--length);background:var(--bar);border-radius:2px}
.layers .note{margin:0}
.cell-bar{display:block;width:5rem;margin:.15rem 0 0 auto;height:.3rem;background:var(--panel);border-radius:2px}
.cell-bar u{display:block;height:100%;width:var(--length);background:var(--bar);border-radius:2px}
.images{list-style:none;display:grid;grid-template-columns:repeat(var(--columns),1fr);gap:.75rem;margin:0 0 .5rem;padding:0;
  font-size:.8125rem;color:var(--muted)}
.images li{break-inside:avoid}
.images img,.pixel-importance img{display:block;width:100%;height:auto;image-rendering:pixelated;border:1px solid var(--line);
  background:var(--paper);border-radius:2px}
.pixel-importance{margin-bottom:1.25rem}
.pixel-importance img{max-width:16rem}
.leaders td.number{font-weight:600}
.leaders td:is(.time,.size){font-weight:400}
.leaders th{padding-right:.9rem}
.leaders td{padding-right:.9rem}
.leaders th[scope=row]{overflow-wrap:anywhere}
.leaders .interval{width:26%;min-width:6rem}
.leaders .ends{display:flex;justify-content:space-between;font-weight:400}
.leaders .interval i{position:relative;display:block;height:.85rem;background:var(--panel);border-radius:2px}
.leaders u,.leaders .interval b,.leaders s{position:absolute;transition:left .3s,right .3s}
.leaders u{top:.3rem;height:.25rem;left:var(--from);right:calc(100% - var(--to));background:var(--bar)}
.leaders .interval b{top:.1rem;height:.65rem;width:.65rem;margin-left:-.325rem;left:var(--at);border-radius:50%;background:var(--blue)}
.leaders s{top:0;bottom:0;left:var(--at);border-left:2px dotted var(--muted)}
.leaders .summary{display:block;font-weight:400;font-size:.875rem;line-height:1.4;color:var(--muted)}
.leaders .first>th,.leaders .first>.outcome{font-weight:600}
.leaders .variants{font-weight:400;display:block}
.leaders .variant th{padding-left:1.25rem;font-weight:400;font-size:.9375rem}
.leaders .outcome{white-space:nowrap;padding-right:0}
.leaders .out{color:var(--muted)}
.leaders .out td.number{font-weight:400}
.leaders .out .interval b{background:var(--muted)}
@media (prefers-reduced-motion:reduce){.leaders u,.leaders .interval b,.leaders s{transition:none}}`;

/** The rules on a phone: outlines take the place of wide pictures. */
export const narrowPictureRules = `  .tree{--indent:.9rem;--bar:13rem}
  .tree ul>li::before,.tree ul>li::after{left:.1rem}
  .tree ul>li::after{width:.6rem}
  .outline{margin-top:0}
  .outline::details-content{content-visibility:visible;height:auto}
  @supports selector(::details-content){.outline>summary{display:none}}
  .outline .split-picture{display:block;max-width:100%;margin:.2rem 0}
  .images{grid-template-columns:repeat(4,1fr)}
  .layers{flex-direction:column;gap:1.5rem}
  .layers li{max-width:none;flex-basis:auto}
  .layers li:not(:last-child)::after{content:"↓";right:50%;top:auto;bottom:-1.5rem}
  .leaders,.leaders tbody{display:block}
  .leaders thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
  .leaders tr{display:grid;grid-template-columns:4.5rem minmax(0,1fr) 5.5rem;align-items:center;gap:.15rem .75rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
  .leaders :is(th,td){border:0;padding:0}
  .leaders th[scope=row]{grid-column:1/-1}
  .leaders .interval{width:auto}
  .leaders .time,.leaders .size{display:none}`;

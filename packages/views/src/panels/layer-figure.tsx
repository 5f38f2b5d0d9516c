import { type DescribedLayer, formatNumber, formatPercent, type LayerSection } from "vouch/train";
import { figure, layerStyle, legend } from "./figure.js";
import { cumulativeDrawing, cumulativeMargins } from "./margin-figure.js";
import { html, type Markup } from "./markup.js";
import { numberedTable } from "./page.js";

/** Draws the margin distribution after each layer of a deep forest; returns undefined without layers. */
export function layerFigure({ layers }: LayerSection): Markup | undefined {
  if (layers.length === 0) return undefined;
  const curves = layers.map(({ name, margins }, index) => ({
    name,
    style: layerStyle(index, layers.length),
    points: cumulativeMargins(margins.quantiles),
  }));
  const ends = layers.length === 1 ? layers : [layers[0], layers[layers.length - 1]];
  const caption = `${ends.map(reading).join("; ")}.`;
  const label = `Cumulative distribution of the margins, one curve per layer. ${caption}`;
  return html`<p>Out-of-fold margins of the training rows after each layer: computed by forests that did not see the row. A layer helps if its curve lies to the right of those before it. λ is the standard deviation of the margins over their mean: the smaller, the better.</p>
${figure((width) => cumulativeDrawing(curves, label, width), { legend: legend(curves), caption })}${numberedTable(
  "layers",
  ["Layer", "Weight α", "Out-of-fold accuracy", "Mean margin", "λ"],
  layers.map(layerRow),
)}`;
}

function reading({ name, margins }: DescribedLayer): string {
  return `${name}: mean ${formatNumber(margins.mean)}, λ ${formatNumber(margins.ratio)}`;
}

function layerRow({ name, alpha, outOfFoldAccuracy, margins }: DescribedLayer) {
  return [
    name,
    { shown: formatNumber(alpha) },
    { shown: formatPercent(outOfFoldAccuracy) },
    { shown: formatNumber(margins.mean) },
    { shown: formatNumber(margins.ratio) },
  ];
}

import { formatNumber } from "vouch";
import { cumulativeDrawing } from "./cumulative-drawing.js";
import { cumulativeMargins } from "./cumulative-margins.js";
import { figure } from "./figure.js";
import { html, type Markup } from "./markup.js";
import { layerStyle, legend } from "./series.js";

/** The margins of a deep forest up to one of its layers, out of fold. */
export interface LayerMargins {
  /** What the key calls it: `Layer 1`. */
  readonly name: string;
  readonly mean: number;
  /** λ: standard deviation over mean. */
  readonly ratio: number;
  /** At even steps of their ascending order, the smallest and the largest among them. */
  readonly quantiles: ArrayLike<number>;
}

function reading({ name, mean, ratio }: LayerMargins): string {
  return `${name}: mean ${formatNumber(mean)}, λ ${formatNumber(ratio)}`;
}

/** The cumulative margin curves of all layers in one figure; nothing when there is no layer. */
export function layerMarginFigure(layers: readonly LayerMargins[]): Markup | undefined {
  if (layers.length === 0) return undefined;
  const curves = layers.map(({ name, quantiles }, index) => ({
    name,
    style: layerStyle(index, layers.length),
    points: cumulativeMargins(quantiles),
  }));
  const ends = layers.length === 1 ? layers : [layers[0], layers[layers.length - 1]];
  const caption = `${ends.map(reading).join(". ")}.`;
  const label = `Cumulative distribution of the margins, a curve for each layer. ${caption}`;
  return html`<p>The margins of the training rows after each layer, from forests that did not see the row. A layer helps where its curve lies to the right of those before it. λ is the spread of the margins over their mean: the smaller, the better.</p>
${figure((width) => cumulativeDrawing(curves, label, width), { legend: legend(curves), caption })}`;
}

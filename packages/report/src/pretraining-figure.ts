import { formatNumber, formatRoundPercent } from "vouch";
import { figure } from "./figure.js";
import { html, type Markup } from "./markup.js";
import { layerStyle, legend } from "./series.js";
import { type StepAxes, type StepLine, stepDrawing } from "./step-drawing.js";
import { thinned } from "./thinned.js";

/** How a layer of a network was pre-trained, epoch by epoch. */
export interface LayerPretraining {
  /** What the key calls it: `Layer 1`. */
  readonly name: string;
  /** Mean reconstruction error of the rows. */
  readonly errors: readonly number[];
  /** Mean free energy of the rows, of restricted Boltzmann machines. */
  readonly freeEnergies?: readonly number[];
}

interface NamedLine extends StepLine {
  readonly name: string;
  /** The values that the line begins and ends with, before they were related to the first. */
  readonly ends: readonly [number, number];
}

/** A line for each layer that has values, each related to the layer's first: layers have inputs of different sizes. */
function linesOf(
  layers: readonly LayerPretraining[],
  valuesOf: (layer: LayerPretraining) => readonly number[] | undefined,
  related: (value: number, first: number) => number,
): readonly NamedLine[] {
  return layers.flatMap((layer, index) => {
    const values = valuesOf(layer)?.filter(Number.isFinite) ?? [];
    if (values.length === 0) return [];
    const points = values.map((value, i) => ({ step: i + 1, value: related(value, values[0]) }));
    return [
      {
        name: layer.name,
        style: layerStyle(index, layers.length),
        points: thinned(points),
        ends: [values[0], values[values.length - 1]],
      },
    ];
  });
}

function lineFigure(
  lines: readonly NamedLine[],
  axes: Omit<StepAxes, "step" | "domain">,
  title: string,
): Markup | undefined {
  if (lines.length === 0) return undefined;
  const readings = lines.map(({ name, ends }) => `${name}: from ${ends.map(formatNumber).join(" to ")}`);
  const caption = `${title}, first epoch to last. ${readings.join(". ")}.`;
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const [bottom, top] = [Math.min(0, ...values), Math.max(0, ...values)];
  const domain = [bottom, top > bottom ? top : 0.01] as const;
  return figure((width) => stepDrawing(lines, { ...axes, step: "Epoch", domain }, caption, width), {
    legend: legend(lines),
    caption,
  });
}

/** Reconstruction errors and free energies of the layers while they were pre-trained; nothing without any. */
export function pretrainingFigure(layers: readonly LayerPretraining[]): Markup | undefined {
  const errors = lineFigure(
    linesOf(
      layers,
      ({ errors }) => errors,
      (value, first) => (first === 0 ? 0 : value / first),
    ),
    { label: "Error, of the first epoch's", tick: formatRoundPercent },
    "Reconstruction error",
  );
  const energies = lineFigure(
    linesOf(
      layers,
      ({ freeEnergies }) => freeEnergies,
      (value, first) => value - first,
    ),
    { label: "Change of the free energy", tick: formatNumber },
    "Mean free energy of the rows",
  );
  if (!errors && !energies) return undefined;
  return html`<p>Before labels were looked at, each layer learned to give back its input from its code.</p>
${errors}${
  energies &&
  html`<p>The free energy says how likely a machine holds the rows, but for a constant that changes with its weights: it need not fall.</p>
${energies}`
}`;
}

import { formatNumber, formatPercent, type Json } from "vouch";
import { isRecord } from "./structure.js";

/** A layer of a deep forest as the model describes it: its weight, and how it does on the training rows out of fold. */
export interface Layer {
  readonly layer: number;
  readonly alpha: number;
  readonly outOfFoldAccuracy: number;
  /** Of the model up to this layer. */
  readonly margins: {
    readonly mean: number;
    readonly variance: number;
    /** λ; infinite for a mean of 0. */
    readonly ratio: number;
    /** At 0 %, 1 %, … 100 % of their ascending order. */
    readonly quantiles: readonly number[];
  };
}

/** The layers in a model's description; none if it has no layers, or layers without margins. */
export function layersOf(description: Json): readonly Layer[] {
  if (!isRecord(description) || !Array.isArray(description.layers)) return [];
  const layers = description.layers.map(layerOf);
  return layers.every((layer) => layer !== undefined) ? layers : [];
}

function layerOf(described: Json): Layer | undefined {
  if (!isRecord(described) || !("margins" in described) || !isRecord(described.margins)) return undefined;
  const { layer, alpha, outOfFoldAccuracy, margins } = described;
  const { mean, variance, ratio, quantiles } = margins;
  if (!Array.isArray(quantiles)) return undefined;
  return {
    layer: Number(layer),
    alpha: Number(alpha),
    outOfFoldAccuracy: Number(outOfFoldAccuracy),
    margins: {
      mean: Number(mean),
      variance: Number(variance),
      ratio: ratio === null ? Number.POSITIVE_INFINITY : Number(ratio),
      quantiles: quantiles.map(Number),
    },
  };
}

/** "α 1, 95.3 % right out of fold, margins of mean 0.612, variance 0.0512, λ 0.3697" */
export function layerInWords({ alpha, outOfFoldAccuracy, margins }: Layer): string {
  const { mean, variance, ratio } = margins;
  return `α ${formatNumber(alpha)}, ${formatPercent(outOfFoldAccuracy)} right out of fold, margins of mean ${formatNumber(mean)}, variance ${formatNumber(variance)}, λ ${formatNumber(ratio)}`;
}

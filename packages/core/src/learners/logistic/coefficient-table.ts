import * as real from "../../runtime/maths/portable-math.js";
import type { TableSection } from "../description.js";
import type { Hyperplanes } from "../linear/hyperplanes.js";

/** Most rows of the table, and for one class. */
const MOST_ROWS = 60;
const MOST_PER_CLASS = 20;

interface LinearScores {
  readonly classes: readonly string[];
  readonly trained: readonly number[];
  readonly featureNames: readonly string[];
  readonly outputs: Hyperplanes;
}

/**
 * Lists the strongest weights of each class with odds ratios: exp(w) is the factor by which the odds of the class change when the
 * feature grows by one, with standardised features by one standard deviation. Two classes have one list, for the second class.
 */
export function coefficientTable({ classes, trained, featureNames, outputs }: LinearScores): TableSection {
  const { weights, biases } = outputs;
  const named = biases.length === 1 ? [classes[trained[1]]] : trained.map((k) => classes[k]);
  const perClass = Math.max(1, Math.min(MOST_PER_CLASS, Math.floor(MOST_ROWS / named.length)));
  const rows = named.slice(0, MOST_ROWS).flatMap((name, k) => {
    const own = weights.row(k);
    const order = [...own.keys()].sort((a, b) => Math.abs(own[b]) - Math.abs(own[a]) || a - b);
    const strongest = order.slice(0, perClass).filter((j) => own[j] !== 0);
    return [
      [name, "(intercept)", biases[k], oddsRatio(biases[k])],
      ...strongest.map((j) => [name, featureNames[j], own[j], oddsRatio(own[j])]),
    ];
  });
  const columns = ["class", "feature", "weight", "odds ratio"];
  return {
    kind: "table",
    title: "strongest weights",
    columns: columns.map((name) => ({ name })),
    rows,
  };
}

function oddsRatio(weight: number): number | string {
  const ratio = real.exp(weight);
  return ratio < Number.POSITIVE_INFINITY ? ratio : "∞";
}

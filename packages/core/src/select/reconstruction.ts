import type { LayerReconstruction } from "../learners/model.js";
import { mean } from "../runtime/maths/statistics.js";
import type { Criterion, Evidence, Score } from "./criterion.js";

/**
 * Chooses the architecture of a pre-trained network by reconstruction error, layer by layer (Arnold et al. 2010;
 * thesis, §5.4.2). Among the candidates of the same depth, those stay whose first layer has the smallest reconstruction
 * error (eq. 5.4), among these the ones with the best second layer, and so on. This decides the sizes of layers, but
 * not their number; the best candidates of each depth are scored by their errors in cross-validation. Any other
 * candidate ranks after them, with the score 1 plus the relative excess error of its first layer that is not the best.
 *
 * Layers are pre-trained in every fold, and their errors averaged, which smooths the influence of the initial weights.
 * As in eq. 5.4, these are errors on the rows that the layer was fitted to, so a larger layer rarely does worse.
 */
export const reconstructionCriterion: Criterion = {
  name: "reconstruction",
  summary: "layer sizes by the reconstruction error of pre-training, depth by cross-validation",
  measures: "order",
  needs: ["folds"],
  refusalOf: ({ name, pretrains }) => (pretrains ? undefined : `${name} does not pre-train`),
  score: (candidates) => {
    const stacks = candidates.map(stackOf);
    return { scores: stacks.map((stack) => scoreOf(stack, stacks)) };
  },
};

/** A candidate's layers and error, averaged over the folds. */
interface Stack {
  readonly layers: readonly LayerReconstruction[];
  readonly error: number;
}

function stackOf({ folds }: Evidence): Stack {
  const total = (count: (fold: Evidence["folds"][number]) => number) =>
    folds.reduce((sum, fold) => sum + count(fold), 0);
  const [first] = folds;
  const layers = (first.reconstruction ?? []).map(({ units }, level) => ({
    units,
    error: mean(folds.map(({ reconstruction = [] }) => reconstruction[level].error)),
  }));
  return { layers, error: total(({ errors }) => errors) / total(({ rows }) => rows) };
}

function scoreOf(stack: Stack, all: readonly Stack[]): Score {
  const { layers, error } = stack;
  const terms = Object.fromEntries([
    ["error", error],
    ...layers.map((layer, level) => [`layer ${level + 1}`, layer.error] as const),
  ]);
  let rivals = all.filter((other) => other.layers.length === layers.length);
  for (const [level, layer] of layers.entries()) {
    const least = Math.min(...rivals.map((rival) => rival.layers[level].error));
    if (layer.error > least) return { value: 1 + excess(layer.error, least), terms };
    rivals = rivals.filter((rival) => rival.layers[level].units === layer.units);
  }
  return { value: error, terms };
}

/** Computes the relative excess over the least error; finite even if that is zero. */
function excess(error: number, least: number): number {
  return least > 0 ? error / least - 1 : error;
}

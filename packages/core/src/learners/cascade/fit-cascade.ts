import type { Sample } from "../../encode/sample.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { kFold, type Split, stratifiedHoldout } from "../../table/splits.js";
import { predictionsOf } from "../scores.js";
import { countErrors } from "../training-summary.js";
import type { CascadeLevel, TrainedLevel } from "./cascade-level.js";
import { type CascadeParts, isLeaf } from "./cascade-model.js";
import type { ComplexityTerm } from "./cascade-options.js";
import { type CascadeOutputs, cascadeMargins, evaluateCascade } from "./evaluate-cascade.js";
import { type CascadeTreeLimits, growTree } from "./grow-cascade.js";
import type { Unconverged } from "./node-machine.js";
import type { SearchGoal } from "./prefixes.js";
import { type BestCascade, type BestLevel, type SearchProgress, searchCascades } from "./search-cascades.js";
import type { CascadeSpace, ComplexityMeasure } from "./search-space.js";
import { type NodeTrainer, SubProblems } from "./sub-problems.js";

/** The cascades that a learner chooses from, for one sample. Its owner releases it. */
export interface CascadeFamily {
  readonly space: CascadeSpace;
  /** p: the number of families to choose from at each level. */
  readonly families: number;
  /** Restricts the training points to some rows of the sample, ascending. The result is released before the family. */
  on(rows: Int32Array): Promise<FamilyOnRows>;
  readonly notices: readonly string[];
  /** Bins of the features, if some leaves take them. */
  readonly bins?: CascadeParts["bins"];
  release(): void;
}

/** The cascades on some training points. */
export interface FamilyOnRows {
  readonly trainer: NodeTrainer;
  readonly complexity: ComplexityMeasure;
  /** Trains the levels of a cascade again, so that they can predict. */
  build(levels: readonly BestLevel[]): Promise<TrainedLevel[]>;
  /** Returns notices about the training so far, in which some solver runs did not converge. */
  notices(unconverged: Unconverged): readonly string[];
  release(): void;
}

/** How the cascade is chosen among those of a family. */
export interface CascadeChoice {
  /** Ascending. */
  readonly gammas: readonly number[];
  readonly complexity: ComplexityTerm;
  /** Fraction of the rows that chooses γ. */
  readonly validation: number;
  /** Folds that choose γ instead; 0 for none. */
  readonly folds: number;
  /** How a tree is grown; absent for chains. */
  readonly tree?: CascadeTreeLimits & { readonly from: "leaf" | "chain" };
}

/**
 * Finds the cascade with the smallest bound (9) for the γ that does best on validation rows.
 *
 * For each γ the search finds the best cascade on some of the rows, and its errors on the others are counted; the γ with the
 * fewest errors, ties going to the largest (the strongest preference for simple cascades), is used for a search on all rows.
 * That search is made again because a cascade on all rows is better than the one that was validated, as after every
 * cross-validation; its structure may differ: validation covers γ.
 */
export async function fitCascade(
  family: CascadeFamily,
  sample: Sample,
  choice: CascadeChoice,
  run: Run,
  validateElsewhere?: (splits: readonly Split[]) => Promise<SplitResult[]>,
): Promise<CascadeParts> {
  const splits = choice.gammas.length > 1 ? validationSplits(sample, choice, run.seed) : [];
  const isSent = validateElsewhere && splits.length > 0;
  const results = isSent
    ? await validateElsewhere(splits)
    : await validateHere(family, sample, choice, splits, run);
  const validation = splits.length > 0 ? validatedGammas(choice.gammas, splits, results) : [];
  const gamma = validation.length > 0 ? bestGamma(validation, choice) : choice.gammas[0];
  const all = Int32Array.from({ length: sample.rows }, (_, row) => row);
  const [found] = await cascadesOn(family, sample, all, { ...choice, gammas: [gamma] }, run, "final search");
  return { ...found, origin: { ...found.origin, validation } };
}

/**
 * Finds the best cascade for each γ on some rows of the sample, ascending. Nodes that were trained for one γ serve the
 * others.
 */
export async function cascadesOn(
  family: CascadeFamily,
  sample: Sample,
  rows: Int32Array,
  { gammas, complexity, tree }: Pick<CascadeChoice, "gammas" | "complexity" | "tree">,
  run: Run,
  stage = "cascades",
): Promise<CascadeParts[]> {
  const local = await family.on(rows);
  const problems = new SubProblems(rows, local.trainer);
  try {
    const training = sample.select(rows);
    const found: CascadeParts[] = [];
    for (const gamma of gammas) {
      const report = progressReporter(run, `${stage}, gamma ${formatNumber(gamma)}`);
      const goal = { space: family.space, gamma, complexity: local.complexity };
      const best = await bestCascade(problems, goal, tree, report);
      const { distinct, listed, trained } = best.progress;
      found.push({
        levels: await levelsOf(family, local, training, best),
        ...(family.bins && { bins: family.bins }),
        origin: {
          gamma,
          complexity,
          rows: training.rows,
          ...(tree && { topology: tree.from === "chain" ? "search" : "tree" }),
          families: family.families,
          mostLeaves: Math.max(family.space.maxDepth, tree?.maxLeaves ?? 0),
          distinct,
          ...(listed !== undefined && { listed }),
          trained,
          validation: [],
          notices: [...family.notices, ...local.notices(problems.unconverged)],
        },
      });
    }
    return found;
  } finally {
    await problems.settled();
    local.release();
  }
}

/** Finds the best chain, or grows a tree. */
async function bestCascade(
  problems: SubProblems,
  goal: SearchGoal,
  tree: CascadeChoice["tree"],
  report: (progress: SearchProgress) => Promise<void> | undefined,
): Promise<BestCascade> {
  if (!tree) return searchCascades(problems, goal, report);
  const chain = tree.from === "chain" ? await searchCascades(problems, goal, report) : undefined;
  return growTree(problems, goal, tree, chain?.levels, report);
}

type Validated = CascadeParts["origin"]["validation"][number];

/** The best cascade of each γ on one split: its errors on the test rows, and the number of its leaves. */
export type SplitResult = readonly { readonly wrong: number; readonly leaves: number }[];

async function validateHere(
  family: CascadeFamily,
  sample: Sample,
  choice: CascadeChoice,
  splits: readonly Split[],
  run: Run,
): Promise<SplitResult[]> {
  const results: SplitResult[] = [];
  for (const [s, split] of splits.entries()) {
    const stage = splits.length > 1 ? `fold ${s + 1} of ${splits.length}` : "validation";
    results.push(await validateOn(family, sample, choice, split, run, stage));
  }
  return results;
}

/** Finds the best cascade of each γ on the training rows of a split, and tests it on the others. */
export async function validateOn(
  family: CascadeFamily,
  sample: Sample,
  choice: CascadeChoice,
  { train, test }: Split,
  run: Run,
  stage: string,
): Promise<SplitResult> {
  const cascades = await cascadesOn(family, sample, train, choice, run, stage);
  const unseen = sample.select(test);
  return cascades.map(({ levels, bins }) => {
    const { scores } = evaluateCascade({ levels, classes: sample.classes.length, bins }, unseen.features);
    const wrong = countErrors(predictionsOf(scores), unseen.labels);
    return { wrong, leaves: levels.filter(isLeaf).length };
  });
}

function validatedGammas(
  gammas: readonly number[],
  splits: readonly Split[],
  results: readonly SplitResult[],
): Validated[] {
  const tested = splits.reduce((sum, { test }) => sum + test.length, 0);
  return gammas.map((gamma, g) => ({
    gamma,
    error: results.reduce((sum, result) => sum + result[g].wrong, 0) / tested,
    depth: results.reduce((sum, result) => sum + result[g].leaves / splits.length, 0),
  }));
}

function validationSplits(
  { labels, rows }: Sample,
  { folds, validation }: CascadeChoice,
  seed: number,
): readonly Split[] {
  if (folds > 0) return kFold(labels, Math.min(folds, rows), seed).folds;
  return [stratifiedHoldout(labels, validation, seed)];
}

/**
 * Chooses the γ with the fewest errors. For a tree, ties go to the middle one, so that a few rows more rarely change its
 * shape.
 */
function bestGamma(validation: readonly Validated[], { tree }: CascadeChoice): number {
  const least = Math.min(...validation.map(({ error }) => error));
  const tied = validation.filter(({ error }) => error === least).map(({ gamma }) => gamma);
  return tree ? tied[Math.floor((tied.length - 1) / 2)] : tied[tied.length - 1];
}

/** Builds the levels of the best cascade and counts its training points, evaluating them once. */
async function levelsOf(
  { space, bins }: CascadeFamily,
  local: FamilyOnRows,
  { features, labels, classes }: Sample,
  best: BestCascade,
): Promise<CascadeLevel[]> {
  const levels = (await local.build(best.levels)).map((level, k): TrainedLevel => {
    const stay = best.levels[k].gate?.stay;
    return stay === undefined ? level : { ...withoutLeaf(level), stay };
  });
  const outputs = evaluateCascade({ levels, classes: classes.length, bins }, features);
  const counts = leafCounts(levels.length, outputs, labels);
  return levels.map((level, k) => {
    const { gate } = best.levels[k];
    return { ...level, ...(gate && { fraction: space.fractions[gate.fraction] }), ...counts[k] };
  });
}

/** Returns a level whose points go to further levels: only a gate near a decision boundary needs its classifier. */
function withoutLeaf(level: TrainedLevel): TrainedLevel {
  const { classifier: _, ...others } = level;
  return level.gate?.kind === "near" ? level : others;
}

/** Counts m_k⁺ and m_k⁻, and finds ρ_k, of each leaf. */
function leafCounts(
  levels: number,
  outputs: CascadeOutputs,
  labels: Int32Array,
): Pick<CascadeLevel, "correct" | "wrong" | "smallestMargin">[] {
  const counts = Array.from({ length: levels }, () => ({ correct: 0, wrong: 0, smallestMargin: 1 }));
  cascadeMargins(outputs, labels).forEach((margin, row) => {
    const leaf = counts[outputs.leaves[row]];
    if (margin > 0) {
      leaf.correct++;
      leaf.smallestMargin = Math.min(leaf.smallestMargin, margin);
    } else leaf.wrong++;
  });
  return counts.map((leaf) => (leaf.correct > 0 ? leaf : { ...leaf, smallestMargin: 0 }));
}

/** Milliseconds between two reports: their texts take time. */
const REPORT_INTERVAL = 20;

function progressReporter(run: Run, stage: string): (progress: SearchProgress) => Promise<void> | undefined {
  let last = Number.NEGATIVE_INFINITY;
  return ({ covered, distinct, trained, best, gap }) => {
    const now = performance.now();
    if (now - last > REPORT_INTERVAL || covered === distinct) {
      last = now;
      const note = `bound ${formatNumber(best)}, gap ${formatNumber(gap)}, ${formatNumber(trained)} nodes trained`;
      run.progress({ stage, done: covered, total: distinct, note });
    }
    return checkpoint(run);
  };
}

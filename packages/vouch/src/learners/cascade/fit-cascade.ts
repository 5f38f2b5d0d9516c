import type { Sample } from "../../encode/sample.js";
import { formatNumber } from "../../runtime/number-format.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { kFold, type Split, stratifiedHoldout } from "../../table/splits.js";
import { predictionsOf, signedScores } from "../scores.js";
import { countErrors } from "../training-facts.js";
import {
  type CascadeLevel,
  type CascadeOutputs,
  evaluateCascade,
  type TrainedLevel,
} from "./cascade-level.js";
import type { CascadeParts } from "./cascade-model.js";
import type { ComplexityTerm } from "./cascade-options.js";
import type { OpenSolutions } from "./node-machine.js";
import { type BestCascade, type BestLevel, type SearchProgress, searchCascades } from "./search.js";
import type { CascadeSpace, ComplexityMeasure } from "./search-space.js";
import { type NodeTrainer, SubProblems } from "./sub-problems.js";

/** The cascades that a learner chooses from, for one sample. Its owner releases it. */
export interface CascadeFamily {
  readonly space: CascadeSpace;
  /** p: the number of families to choose from at each level. */
  readonly families: number;
  /** Restricts the training points to some rows of the sample, ascending. The result is released before the family. */
  on(rows: Int32Array): FamilyOnRows;
  readonly notices: readonly string[];
  release(): void;
}

/** The cascades on some training points. */
export interface FamilyOnRows {
  readonly trainer: NodeTrainer;
  readonly complexity: ComplexityMeasure;
  /** Trains the levels of a cascade again, so that they can predict. */
  build(levels: readonly BestLevel[]): Promise<TrainedLevel[]>;
  /** Returns notices about the training so far, in which some solver runs did not converge. */
  notices(open: OpenSolutions): readonly string[];
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
}

/**
 * Finds the cascade with the smallest bound (9) for the γ that does best on validation rows.
 *
 * For each γ the search finds the best cascade on some of the rows, and its errors on the others are counted; the γ with the
 * fewest errors, ties going to the largest (the strongest preference for simple cascades), is used for a search on all rows.
 * That search is made anew because a cascade on all rows is better than the one that was validated, as after every
 * cross-validation; its structure may differ: validation covers γ.
 */
export async function fitCascade(
  family: CascadeFamily,
  sample: Sample,
  choice: CascadeChoice,
  run: Run,
): Promise<CascadeParts> {
  const validation = choice.gammas.length > 1 ? await validateGammas(family, sample, choice, run) : [];
  const gamma = validation.length > 0 ? bestGamma(validation) : choice.gammas[0];
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
  { gammas, complexity }: Pick<CascadeChoice, "gammas" | "complexity">,
  run: Run,
  stage = "cascades",
): Promise<CascadeParts[]> {
  const local = family.on(rows);
  const problems = new SubProblems(rows, local.trainer);
  try {
    const training = sample.select(rows);
    const found: CascadeParts[] = [];
    for (const gamma of gammas) {
      const report = progressReporter(run, `${stage}, gamma ${formatNumber(gamma)}`);
      const goal = { space: family.space, gamma, complexity: local.complexity };
      const best = await searchCascades(problems, goal, report);
      const { distinct, listed, trained } = best.progress;
      found.push({
        levels: await levelsOf(local, training, best, family.space),
        origin: {
          gamma,
          complexity,
          rows: training.rows,
          families: family.families,
          mostLeaves: family.space.maxDepth,
          distinct,
          listed,
          trained,
          validation: [],
          notices: [...family.notices, ...local.notices(problems.open)],
        },
      });
    }
    return found;
  } finally {
    await problems.settled();
    local.release();
  }
}

type Validated = CascadeParts["origin"]["validation"][number];

async function validateGammas(
  family: CascadeFamily,
  sample: Sample,
  choice: CascadeChoice,
  run: Run,
): Promise<Validated[]> {
  const splits = validationSplits(sample, choice, run.seed);
  const wrong = new Float64Array(choice.gammas.length);
  const depth = new Float64Array(choice.gammas.length);
  let tested = 0;
  for (const [s, { train, test }] of splits.entries()) {
    const stage = splits.length > 1 ? `fold ${s + 1} of ${splits.length}` : "validation";
    const cascades = await cascadesOn(family, sample, train, choice, run, stage);
    const unseen = sample.select(test);
    cascades.forEach(({ levels }, g) => {
      const { values } = evaluateCascade(levels, unseen.features);
      wrong[g] += countErrors(predictionsOf(signedScores(values)), unseen.labels);
      depth[g] += levels.length / splits.length;
    });
    tested += test.length;
  }
  return choice.gammas.map((gamma, g) => ({ gamma, error: wrong[g] / tested, depth: depth[g] }));
}

function validationSplits(
  { labels, rows }: Sample,
  { folds, validation }: CascadeChoice,
  seed: number,
): readonly Split[] {
  if (folds > 0) return kFold(labels, Math.min(folds, rows), seed).folds;
  return [stratifiedHoldout(labels, validation, seed)];
}

function bestGamma(validation: readonly Validated[]): number {
  const better = (a: Validated, b: Validated) => a.error - b.error || b.gamma - a.gamma;
  return [...validation].sort(better)[0].gamma;
}

/** Builds the levels of the best cascade and counts its training points, evaluating them once. */
async function levelsOf(
  local: FamilyOnRows,
  { features, labels }: Sample,
  best: BestCascade,
  { fractions }: CascadeSpace,
): Promise<CascadeLevel[]> {
  const trained = await local.build(best.levels);
  const counts = leafCounts(trained.length, evaluateCascade(trained, features), labels);
  return trained.map((level, k) => {
    const { fraction } = best.levels[k];
    return { ...level, ...(fraction !== undefined && { fraction: fractions[fraction] }), ...counts[k] };
  });
}

/** Counts m_k⁺ and m_k⁻, and finds ρ_k, of each leaf. */
function leafCounts(
  levels: number,
  { values, limits, leaves }: CascadeOutputs,
  labels: Int32Array,
): Pick<CascadeLevel, "correct" | "wrong" | "smallestMargin">[] {
  const counts = Array.from({ length: levels }, () => ({ correct: 0, wrong: 0, smallestMargin: 1 }));
  labels.forEach((label, row) => {
    const leaf = counts[leaves[row]];
    const score = label === 0 ? values[row] : -values[row];
    if (score > 0) {
      leaf.correct++;
      leaf.smallestMargin = Math.min(leaf.smallestMargin, score / limits[row]);
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

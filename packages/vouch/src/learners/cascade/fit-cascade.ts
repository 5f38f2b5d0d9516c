import type { Sample } from "../../encode/sample.js";
import { formatNumber } from "../../runtime/number-format.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { holdout, kFold, type Split } from "../../table/splits.js";
import type { BuiltLevel, CascadeFamily, FamilyOnRows } from "./cascade-family.js";
import { type CascadeLearnerName, CascadeModel, type CascadeOrigin } from "./cascade-model.js";
import { type ComplexityKind, leafFacts } from "./complexity.js";
import type { GateRule, LeafClassifier } from "./leaf-classifier.js";
import { type BestCascade, type SearchProgress, searchCascades } from "./search.js";
import { type CascadeTree, chain } from "./space.js";
import { SubProblems } from "./sub-problems.js";

/** Cascades are not searched for on fewer rows. */
const FEWEST_ROWS = 5;

/** How the cascade is chosen among those of a family. */
export interface CascadeChoice {
  readonly learner: CascadeLearnerName;
  readonly gammas: readonly number[];
  readonly complexity: ComplexityKind;
  /** Share of the rows that chooses gamma. */
  readonly validation: number;
  /** Folds that choose gamma instead; 0 for none. */
  readonly folds: number;
}

/** Fails on samples that are too small to choose a cascade on. */
export function checkCascadeRows(learner: string, rows: number): void {
  if (rows >= FEWEST_ROWS) return;
  throw new VouchError(
    "data/too-few-rows",
    `${learner} needs at least ${FEWEST_ROWS} rows, but there are ${rows}.`,
    {
      hint: "Use a simpler learner, such as stump, or more rows.",
    },
  );
}

/**
 * The cascade with the smallest bound (9) for the gamma that does best on validation rows.
 *
 * For each gamma the search finds the best cascade on a part of the rows, and its errors on the others are counted; the
 * gamma with the fewest errors, of equal ones the largest (the strongest preference for simple cascades), is used for a
 * search on all rows. That search is made anew because a cascade on all rows is better than the one that validated,
 * as after every cross-validation; its structure may differ, gamma is what was validated.
 */
export async function fitCascade(
  family: CascadeFamily,
  sample: Sample,
  choice: CascadeChoice,
  run: Run,
): Promise<CascadeModel> {
  const validation = choice.gammas.length > 1 ? await validateGammas(family, sample, choice, run) : [];
  const gamma = validation.length > 0 ? bestGamma(validation) : choice.gammas[0];
  const all = Int32Array.from({ length: sample.rows }, (_, row) => row);
  const [model] = await cascadesOn(family, sample, all, { ...choice, gammas: [gamma] }, run, "final search");
  return new CascadeModel({ ...model, origin: { ...model.origin, validation } });
}

/**
 * The best cascade for each gamma, on some rows of the sample, ascending. Nodes that were trained for one gamma serve
 * the others.
 */
export async function cascadesOn(
  family: CascadeFamily,
  sample: Sample,
  rows: Int32Array,
  choice: CascadeChoice,
  run: Run,
  stage = "cascades",
): Promise<CascadeModel[]> {
  const local = family.on(rows);
  try {
    const problems = new SubProblems(rows, local.trainer);
    const models: CascadeModel[] = [];
    for (const gamma of choice.gammas) {
      const report = progressReporter(run, `${stage}, gamma ${formatNumber(gamma)}`);
      const goal = { space: family.space, gamma, complexity: local.complexity };
      const best = await searchCascades(problems, goal, report);
      models.push(await modelOf(family, local, sample.select(rows), best, gamma, choice));
    }
    return models;
  } finally {
    local.release();
  }
}

type Validated = CascadeOrigin["validation"][number];

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
    const models = await cascadesOn(family, sample, train, choice, run, stage);
    const unseen = sample.select(test);
    models.forEach((model, g) => {
      const predicted = model.predict(unseen.features);
      wrong[g] += predicted.reduce((sum, label, i) => sum + (label === unseen.labels[i] ? 0 : 1), 0);
      depth[g] += model.depth / splits.length;
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
  return [holdout(labels, validation, seed)];
}

function bestGamma(validation: readonly Validated[]): number {
  const better = (a: Validated, b: Validated) => a.error - b.error || b.gamma - a.gamma;
  return [...validation].sort(better)[0].gamma;
}

async function modelOf(
  family: CascadeFamily,
  local: FamilyOnRows,
  training: Sample,
  best: BestCascade,
  gamma: number,
  { learner, complexity }: CascadeChoice,
): Promise<CascadeModel> {
  const { classes, featureNames } = training;
  const built = await local.build(best.levels);
  const tree = treeOf(built);
  const fractions = best.levels.map(({ fraction }) =>
    fraction === undefined ? undefined : family.space.fractions[fraction],
  );
  const { distinct, listed, trained } = best.progress;
  return new CascadeModel({
    learner,
    classes,
    featureNames,
    tree,
    leaves: leafFacts(training, tree, built, fractions),
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
      notices: [...family.notices, ...local.notices()],
    },
  });
}

function treeOf(levels: readonly BuiltLevel[]): CascadeTree<GateRule, LeafClassifier> {
  return chain(
    levels.map(({ classifier, question }) => ({ leaf: classifier, ...(question && { question }) })),
  );
}

function progressReporter(run: Run, stage: string): (progress: SearchProgress) => Promise<void> | undefined {
  return ({ covered, distinct, trained, best, gap }) => {
    const note = `bound ${formatNumber(best)}, gap ${formatNumber(gap)}, ${formatNumber(trained)} nodes trained`;
    run.progress({ stage, done: covered, total: distinct, note });
    return checkpoint(run);
  };
}

import type { Features, Sample } from "@vouch/core/internal/encode/sample";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { chooseBest } from "@vouch/core/internal/theory/certificate";
import {
  forestFirstOrder,
  forestTandem,
  voteDivergence,
} from "@vouch/core/internal/theory/forests/forest-votes";
import { firstOrderWeights, tandemWeights } from "@vouch/core/internal/theory/forests/vote-weights";
import { TrialRows } from "@vouch/core/internal/validation/trial";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { accuracyOn, dividedSet } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { type BaggedTrees, growBaggedTrees } from "./bagged-trees.js";

const CONFIDENCE = 0.95;
const TREES = 100;
const MOST_ROWS = 5000;
const TEST_SHARE = 0.2;
const DIVISIONS: Readonly<Record<Scale, number>> = { quick: 1, paper: 5 };
const SETS = [
  "breastcancer",
  "ionosphere",
  "iris",
  "wdbc",
  "german",
  "splice",
  "a1a",
  "adult",
  "satimage",
  "letter",
];

/** The ways in which trees vote. */
const votes = ["equal", "first-order", "tandem", "halves"] as const;
type Vote = (typeof votes)[number];

const share = z.number().min(0).max(1);
const outcome = z.strictObject({ error: share, bound: share });
const setSchema = z.strictObject({
  dataset: z.string(),
  rows: z.int().min(1),
  divisions: z.array(
    z.strictObject({ equal: outcome, "first-order": outcome, tandem: outcome, halves: outcome }),
  ),
});

type Outcome = z.infer<typeof outcome>;
type WeightedSet = z.infer<typeof setSchema>;

/**
 * Experiment: weights of a forest's vote that minimise a PAC-Bayes bound, compared with equal weights and with halves.
 */
export const voteWeights = defineExperiment({
  name: "certificates/vote-weights",
  paper: "Masegosa, Lorenzen, Igel and Seldin 2020",
  shows:
    "Forests of 100 trees with equal weights, with weights that minimise a PAC-Bayes bound on out-of-bag rows, and of two halves: error on test rows and the bound from the training rows.",
  cost: {
    quick: "the shipped data sets, one division each: about 10 seconds",
    paper: "10 data sets, five divisions each: about 3 minutes",
  },
  data: z.strictObject({ confidence: share, sets: z.array(setSchema), absent: z.array(z.string()) }),
  async measure(run) {
    const { present, absent } = await availableSets(SETS, run.scale);
    const sets = await partsOf(run, present, setSchema, (name) => weightedOn(name, run));
    return { confidence: CONFIDENCE, sets, absent };
  },
  tables({ sets, absent }) {
    return [
      "Means over divisions: the error on test rows, then the bound at 95%. For _equal_, _first-order_ and _tandem_ weights it is the smaller of the bounds by single trees and by pairs, each with half of δ. 1 is vacuous.",
      table(sets),
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

/** Grows forests on divisions of a data set. */
async function weightedOn(name: string, run: ExperimentRun): Promise<WeightedSet> {
  const set = await dividedSet(name, run, TEST_SHARE);
  const divisions: WeightedSet["divisions"] = [];
  let rows = 0;
  for (let d = 0; d < DIVISIONS[run.scale]; d++) {
    const division = set.division(run.seed, d);
    const all = division.train?.slice() ?? Int32Array.from(division.data.labels.keys());
    const random = new Random(run.seed).fork(d);
    const some = random.shuffle(all).slice(0, MOST_ROWS).sort();
    const own = { ...run, seed: random.bits() };
    const encoding = forest().encoding;
    const { train, test } = await new TrialRows({ ...division, train: some }).encode(encoding, own);
    rows = train.rows;
    const trees = await growBaggedTrees(train, test, TREES, own);
    divisions.push({ ...weighted(trees, test), halves: await halved(train, test, own) });
    run.progress({ stage: name, done: d + 1, total: DIVISIONS[run.scale] });
  }
  return { dataset: name, rows, divisions };
}

/**
 * Weights trees in each way. Bounds use the harmonic mean of the numbers of rows for equal weights, and otherwise the
 * minimum.
 */
function weighted(trees: BaggedTrees, test: Sample<Features>): Record<Exclude<Vote, "halves">, Outcome> {
  const smallest = (values: Float64Array) => values.reduce((a, b) => Math.min(a, b));
  const harmonic = (values: Float64Array) =>
    values.length / values.reduce((sum, value) => sum + 1 / value, 0);
  const least = Math.max(1, smallest(trees.pairRows));
  const outcomeOf = (weights: Float64Array, rowsOf: (rows: Float64Array) => number) => ({
    error: voteError(weights, trees, test),
    bound: boundOf(weights, trees, rowsOf),
  });
  const single = { losses: trees.losses, rows: smallest(trees.rows) };
  return {
    equal: outcomeOf(new Float64Array(TREES).fill(1 / TREES), harmonic),
    "first-order": outcomeOf(firstOrderWeights(single, CONFIDENCE), smallest),
    tandem: outcomeOf(tandemWeights({ losses: trees.pairLosses, rows: least }, CONFIDENCE), smallest),
  };
}

function boundOf(
  weights: Float64Array,
  { losses, rows, pairLosses, pairRows }: BaggedTrees,
  rowsOf: (rows: Float64Array) => number,
): number {
  const evidence = { rows: 0, divergence: voteDivergence(weights), confidence: 1 - (1 - CONFIDENCE) / 2 };
  const gibbsLoss = losses.reduce((sum, loss, h) => sum + weights[h] * loss, 0);
  const tandemLoss = pairLosses.reduce(
    (sum, loss, k) => sum + weights[Math.floor(k / weights.length)] * weights[k % weights.length] * loss,
    0,
  );
  const first = forestFirstOrder({ ...evidence, gibbsLoss, outOfBagRows: rowsOf(rows) });
  const tandem = forestTandem({
    ...evidence,
    tandemLoss: Math.min(1, tandemLoss),
    outOfBagRows: rowsOf(pairRows),
  });
  return Math.min(1, chooseBest([first, tandem], CONFIDENCE).value);
}

function voteError(
  weights: Float64Array,
  { votes }: BaggedTrees,
  { labels, rows }: Sample<Features>,
): number {
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    const scores = new Float64Array(votes[0].columns);
    votes.forEach((shares, h) => {
      const own = shares.row(i);
      for (let k = 0; k < scores.length; k++) scores[k] += weights[h] * own[k];
    });
    const best = scores.reduce((top, score, k) => (score > scores[top] ? k : top), 0);
    if (best !== labels[i]) errors++;
  }
  return errors / rows;
}

async function halved(train: Sample<Features>, test: Sample<Features>, run: ExperimentRun): Promise<Outcome> {
  const learner: Learner = forest({ trees: TREES, halves: true });
  const model = await learner.fit(train, { ...run, progress: () => {} });
  const [certificate] = model.certificates?.({ confidence: CONFIDENCE }) ?? [];
  return { error: 1 - (await accuracyOn(model, test, run)), bound: Math.min(1, certificate.value) };
}

function table(sets: readonly WeightedSet[]): string {
  const titles = ["data set", "rows", ...votes.flatMap((vote) => [`${vote}: error`, "bound"])];
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const cells = sets.map(({ dataset, rows, divisions }) => [
    dataset,
    formatNumber(rows),
    ...votes.flatMap((vote) => [
      fractionCell(meanOf(divisions.map((division) => division[vote].error))),
      fractionCell(meanOf(divisions.map((division) => division[vote].bound))),
    ]),
  ]);
  return markdownTable(titles, cells);
}

import { availableSets, loadRows, type PlainRows } from "../datasets.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { papers } from "../papers.js";
import { bestPage, bestSchema, type ComparedSet, comparedSetSchema, FOLDS } from "./best-page.js";
import { type ContenderFoldInput, contenderFoldTask } from "./contender-fold.js";
import { type CascadeContender, contendersFor } from "./contenders.js";
import { LINEAR_REGIMES, linearRegimes } from "./linear-regimes.js";

const SETS = [
  "iris",
  "wine",
  "ionosphere",
  "wdbc",
  "breastcancer",
  "german",
  "vowel",
  "splice",
  "yeast",
  "satimage",
  "digits",
];

/** Maximum number of rows, because a search for cascades on more rows takes minutes. */
const MOST_ROWS = 1000;

/** Number of random divisions into folds. */
const REPETITIONS: Readonly<Record<Scale, number>> = { quick: 1, paper: 3 };

/** Contenders at scale quick, without the slowest ones. */
const QUICK: readonly string[] = ["logistic", "forest", "svm chain, polynomial", "tree of logistic"];

/** Experiment: is a deep cascade the best single model anywhere? */
export const bestCascades = defineExperiment({
  name: "deep-cascades/best",
  paper: papers.cascades.citation,
  shows:
    "Deep cascades with several classes, tree topologies and other learners at their leaves, compared with single learners in repeated five-fold cross-validation: is a cascade the best model anywhere?",
  cost: {
    quick: "4 learners on the shipped data sets: half a minute",
    paper:
      "13 learners on 11 data sets with at most 1,000 rows and a generated one, 3 divisions into 5 folds: about half an hour on two threads; --resume FILE keeps finished sets",
  },
  data: bestSchema,
  async measure(run) {
    const { present, absent } = await availableSets(SETS, run.scale);
    const names = [...present, LINEAR_REGIMES];
    const sets = await partsOf(run, names, comparedSetSchema, (name) => compareOn(name, run));
    return { repetitions: REPETITIONS[run.scale], folds: FOLDS, sets, absent };
  },
  tables: bestPage,
});

async function compareOn(name: string, run: ExperimentRun): Promise<ComparedSet> {
  const rows =
    name === LINEAR_REGIMES
      ? linearRegimes(run.seed)
      : await loadRows(name, { complete: true, most: MOST_ROWS }, run.signal);
  const contenders = contendersFor(rows.columns.length).filter(
    (contender) => run.scale === "paper" || QUICK.includes(contender.name),
  );
  return compareContenders(rows, contenders, REPETITIONS[run.scale], run);
}

/** Measures contenders on a data set; each fold of each contender is a task. */
export async function compareContenders(
  rows: PlainRows,
  contenders: readonly CascadeContender[],
  repetitions: number,
  { seed, executor, signal, progress }: Pick<ExperimentRun, "seed" | "executor" | "signal" | "progress">,
): Promise<ComparedSet> {
  const trials = Array.from({ length: repetitions * FOLDS }, (_, t) => t);
  const inputs = contenders.flatMap((contender) =>
    trials.map((t): ContenderFoldInput => {
      return { rows, contender, seed: seed + Math.floor(t / FOLDS), fold: t % FOLDS, folds: FOLDS };
    }),
  );
  const found = await executor.map(contenderFoldTask, inputs, {
    signal,
    onProgress: (done, total) => progress({ stage: rows.name, done, total }),
  });
  return {
    dataset: rows.name,
    rows: rows.labels.length,
    features: rows.columns.length,
    classes: rows.classes.length,
    contenders: contenders.map(({ name, kind }, c) => {
      const own = found.slice(c * trials.length, (c + 1) * trials.length);
      return { name, kind, errors: own.map(({ error }) => error), leaves: own.map(({ leaves }) => leaves) };
    }),
  };
}

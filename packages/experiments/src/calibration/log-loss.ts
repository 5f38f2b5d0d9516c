import { learnerNames } from "@vouch/core/internal/learners/index";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import type { Table } from "@vouch/core/internal/table/table";
import { loadDataset } from "@vouch/datasets";
import * as z from "zod";
import { availableSets } from "../datasets.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { plainTable } from "../plain-table.js";
import { calibratedTrialTask, type TrialInput } from "./calibrated-trial.js";
import {
  type CalibratedCell,
  type CalibratedTrial,
  calibrationResultSchema,
  cellSchema,
} from "./calibration-result.js";
import { logLossPage } from "./log-loss-page.js";

const SETS = [
  "a1a",
  "adult",
  "breastcancer",
  "breastcancer-libsvm",
  "digits",
  "german",
  "german-categorical",
  "ionosphere",
  "iris",
  "isolet",
  "landuse21",
  "letter",
  "optdigits",
  "pendigits",
  "satimage",
  "splice",
  "splice-uci",
  "usps",
  "vowel",
  "wdbc",
  "wine",
  "yeast",
];

/** Learners of scale quick. */
const QUICK_LEARNERS: readonly string[] = ["majority", "logistic", "linear-svm", "adaboost", "forest"];

/** Learners whose fits take seconds. They get fewer rows, and only sets with few classes and features. */
const SLOW_LEARNERS: readonly string[] = [
  "relaxed-hierarchy",
  "sae",
  "dbn",
  "deep-cascade",
  "deep-cascade-perceptron",
  "deep-cascade-svm",
  "cascade-forest",
  "gcforest",
  "mddf",
  "one-vs-one",
  "one-vs-rest",
  "dag-svm",
];
const SETS_OF_SLOW_LEARNERS: readonly string[] = [
  "breastcancer",
  "breastcancer-libsvm",
  "german",
  "ionosphere",
  "iris",
  "splice",
  "wdbc",
  "wine",
];

const ROWS = 2000;
const ROWS_OF_SLOW_LEARNERS = 600;
/** Smaller sets are split several times, because few held-out rows say little. */
const DIVISIONS: Readonly<Record<Scale, number>> = { quick: 1, paper: 3 };

/** Experiment: does calibration improve probabilities, and never worsen them? */
export const calibrationLogLoss = defineExperiment({
  name: "calibration/log-loss",
  paper:
    "Platt 1999; Zadrozny and Elkan 2002; Guo, Pleiss, Sun and Weinberger 2017; Kull, Silva Filho and Flach 2017",
  shows:
    "Log-loss and expected calibration error (ECE) of every learner on held-out rows, before and after the calibration that `vouch train` does by default.",
  cost: {
    quick: "5 learners on 3 shipped data sets: about 10 seconds",
    paper:
      "all learners on 22 data sets with at most 2,000 rows, half of them held out, three divisions each: about 15 minutes on two threads; --resume FILE keeps finished sets",
  },
  data: calibrationResultSchema,
  async measure(run) {
    const { present, absent } = await availableSets(SETS, run.scale);
    const parts = await partsOf(run, present, z.array(cellSchema), (name) => cellsOn(name, run));
    const slow = learnersAt(run.scale).filter((learner) => SLOW_LEARNERS.includes(learner));
    const sets = present.filter((name) => !SETS_OF_SLOW_LEARNERS.includes(name));
    return {
      cells: parts.flat(),
      skipped: sets.length > 0 ? slow.map((learner) => ({ learner, sets })) : [],
      absent,
    };
  },
  tables: logLossPage,
});

function learnersAt(scale: Scale): readonly string[] {
  return scale === "quick" ? QUICK_LEARNERS : learnerNames();
}

/** Measures all learners on a data set; the result does not depend on the number of threads. */
async function cellsOn(
  dataset: string,
  { scale, seed, executor, signal, progress }: ExperimentRun,
): Promise<CalibratedCell[]> {
  const learners = learnersAt(scale).filter(
    (learner) => !SLOW_LEARNERS.includes(learner) || SETS_OF_SLOW_LEARNERS.includes(dataset),
  );
  const { train, entry } = await loadDataset(dataset, signal ? { signal } : {});
  const divisions = Array.from({ length: DIVISIONS[scale] }, (_, division) => ({
    division,
    all: plainTable(drawnRows(train, ROWS, seed, division)),
    few: plainTable(drawnRows(train, ROWS_OF_SLOW_LEARNERS, seed, division)),
  }));
  const inputs = learners.flatMap((learner) =>
    divisions.map(({ division, all, few }): TrialInput => {
      const table = SLOW_LEARNERS.includes(learner) ? few : all;
      return { table, target: entry.target, learner, division, seed };
    }),
  );
  const found = await executor.map(calibratedTrialTask, inputs, {
    signal,
    onProgress: (done, total) => progress({ stage: dataset, done, total }),
  });
  return learners.map((learner) => {
    const own = found.filter((_, i) => inputs[i].learner === learner);
    const trials = own.filter((trial): trial is CalibratedTrial => typeof trial !== "string");
    const reason = own.find((trial) => typeof trial === "string");
    return { dataset, learner, trials, ...(trials.length === 0 && reason !== undefined && { reason }) };
  });
}

/** Draws a random subsample of a table, different for each split. */
function drawnRows(table: Table, rows: number, seed: number, division: number): Table {
  if (table.rows <= rows) return table;
  const order = new Random(seed).fork(division).shuffle(Int32Array.from({ length: table.rows }, (_, i) => i));
  return table.select(order.slice(0, rows).sort());
}

import { BinnedColumns, MISSING_BIN } from "../encode/binned-columns.js";
import { labelledSample } from "../encode/encoder.js";
import { fitShardEncoder } from "../encode/fit-shard-encoder.js";
import { Sample } from "../encode/sample.js";
import { boostedTrees } from "../learners/boosted-trees/boosted-trees.js";
import { fitBoostedShard } from "../learners/boosted-trees/fit-shard.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import { DEFAULT_DECISION } from "../metrics/decision.js";
import { objectiveFor } from "../metrics/objective.js";
import { checkpoint, completeRun, type Run } from "../runtime/parallel/run.js";
import { framedParts, frameParts, type ShardGroup } from "../runtime/shards/shard-group.js";
import { formatCount, formatNumber } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { missingCells } from "../table/column.js";
import { guessByNames } from "../table/guess-target.js";
import { inNaturalOrder } from "../table/number-text.js";
import { drawnOf } from "../table/splits.js";
import type { Table } from "../table/table.js";
import { joinTables, tableBytes, tableFrom } from "../table/table-bytes.js";
import {
  chooseTarget,
  classCounts,
  classesIn,
  type Labelled,
  labelledPart,
  selectRows,
} from "../table/target.js";
import { cardOptions } from "./card.js";
import { type EncodedSplit, withoutUnused } from "./encode.js";
import { inspectRows } from "./inspect-rows.js";
import { checkShardLearner } from "./request/shard-request.js";
import { scoreSplit } from "./score.js";
import type { SplitRows } from "./split.js";
import {
  assembleTraining,
  certifyTraining,
  type FittedTraining,
  judgeTraining,
  measureTraining,
  type Training,
} from "./training.js";

/** Maximum number of rows that every shard gets: held-out rows, and a sample for facts about training rows. */
const MOST_SHARED_ROWS = 100_000;

/** How to train on shards. */
export interface ShardTrainingOptions {
  /** Column with the class; by default the column with the most telling name, or else the last one. */
  readonly target?: string;
  /** Fraction of the rows to hold out by a simple random draw, at most 100,000 rows. By default none are held out. */
  readonly holdout?: number;
  /** Confidence of the certificates; default 0.95. */
  readonly confidence?: number;
  /** `boostedTrees` with its options, the only learner for shards. */
  readonly learner?: Learner;
  /** Maximum number of rows that all shards copy: held-out rows, and a sample of the training rows; default 100,000. */
  readonly sharedRows?: number;
  readonly run?: Partial<Run>;
}

/**
 * Trains boosted trees on rows that several shards hold, in the order of the shards. Every shard calls this with its
 * own rows and gets the same classifier. The encoder and the trees equal the result of `trainClassifier` on one machine with
 * the same options and seed. Held-out rows go to all shards, so that each of them tests and certifies the model. If
 * there are more training rows than `sharedRows`, the training error, the fingerprint and the profile in the model file
 * come from a sample. Probabilities are not calibrated; strings that are dates or free text are categories.
 */
export async function trainShard(
  table: Table,
  group: ShardGroup,
  options: ShardTrainingOptions = {},
): Promise<Omit<Training, "candidates" | "choice">> {
  const { holdout, confidence = 0.95, sharedRows = MOST_SHARED_ROWS, learner = boostedTrees() } = options;
  checkLearner(learner);
  checkShardLearner(learner.name);
  const run = completeRun(options.run);
  const data = await labelShard(table, options.target, group);
  const split = await splitShard(data, holdout, sharedRows, group, run.seed);
  const encoding = { kind: "binned", maxBins: MISSING_BIN } as const;
  const encoder = await fitShardEncoder(split.training.features, data, encoding, group);
  const sample = labelledSample(encoder, split.training);
  const { features } = sample;
  if (!(features instanceof BinnedColumns)) throw new TypeError("The features of trees are binned.");
  const own = new Sample<BinnedColumns>({ ...sample, features });
  const model = await fitBoostedShard(own, boostedTrees.options.parse(learner.options), group, run);
  const shared = await shareRows(split, sharedRows, group);
  const rows = shared.rows;
  const notices = [...encoder.notices];
  const encoded: EncodedSplit = {
    encoder,
    training: labelledSample(encoder, rows.training),
    ...(rows.heldOut && {
      heldOut: labelledSample(encoder, withoutUnused(rows.heldOut.rows, rows.training, encoder), (notice) =>
        notices.push(notice),
      ),
    }),
    notices: [...rows.training.notices, ...notices],
  };
  const objective = objectiveFor({}, rows.training);
  const judged = rows.heldOut !== undefined;
  const inspected = await inspectRows(rows, { schema: encoder.schema, unlabelled: undefined, judged }, run);
  const scored = await scoreSplit(model, encoded, objective, run);
  const training: FittedTraining = {
    ...{ table: table.name, rows, encoded, inspected, objective, options: {}, confidence },
    learner: { name: learner.name, options: cardOptions(learner.options) },
    fitted: { model, decided: { decision: DEFAULT_DECISION, notices: [] }, scored },
    choice: undefined,
    isSubsample: false,
    counts: shared.counts,
  };
  const measured = measureTraining(training);
  await checkpoint(run);
  const certificates = certifyTraining(training, measured);
  const verdict = judgeTraining(training, measured, certificates);
  return assembleTraining(training, measured, certificates, verdict, run.seed);
}

/** Finds the classes of all shards, and labels the rows of this one. */
async function labelShard(table: Table, name: string | undefined, group: ShardGroup): Promise<Labelled> {
  // By names alone, so that all shards choose the same column.
  const target = chooseTarget(table, name ?? guessByNames(table.columns.map((column) => column.name)));
  const own = classesIn(table, target);
  const all = await group.gather(new TextEncoder().encode(JSON.stringify([target, ...own])));
  const found = all.map((bytes): unknown => JSON.parse(new TextDecoder().decode(bytes)));
  const names = new Set<string>();
  for (const [shard, list] of found.entries()) {
    if (!Array.isArray(list) || list[0] !== target || list.some((each) => typeof each !== "string")) {
      throw new VouchError(
        "data/no-target",
        `Shard ${shard + 1} has another target column than "${target}".`,
      );
    }
    for (const each of list.slice(1)) names.add(each);
  }
  const classes = inNaturalOrder(names);
  if (classes.length === 0) {
    throw new VouchError("data/missing-target", `${table.name}: no row has a label in column "${target}".`);
  }
  const labelled = own.length > 0 ? labelledRowsIn(table, target) : 0;
  const rows = await group.gatherNumbers([table.rows, labelled]);
  const total = (place: number) => rows.reduce((sum, counts) => sum + counts[place], 0);
  const missing = total(0) - total(1);
  const leftOut = missing > 0 ? [`${formatCount(missing, "row")} without a label left out.`] : [];
  const notices = [...table.notices.map(({ message }) => message), ...leftOut];
  return { ...labelledPart(table, { target, classes }, total(1)), notices };
}

function labelledRowsIn(table: Table, target: string): number {
  return table.rows - missingCells(table.column(target));
}

interface SplitShard {
  readonly training: Labelled;
  readonly heldOut: Labelled | undefined;
}

/** Holds rows out like `randomHoldout` on the rows of all shards. */
async function splitShard(
  data: Labelled,
  holdout: number | undefined,
  most: number,
  group: ShardGroup,
  seed: number,
): Promise<SplitShard> {
  if (holdout === undefined) return { training: data, heldOut: undefined };
  if (!(holdout > 0 && holdout < 1)) {
    throw new VouchError("option/invalid", `holdout must be between 0 and 1, not ${holdout}.`);
  }
  const counts = (await group.gatherNumbers([data.labels.length])).map(([count]) => count);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  if (rows < 2) throw new VouchError("data/too-few-rows", `${rows} rows are too few to hold some out.`);
  const first = counts.slice(0, group.shard).reduce((sum, count) => sum + count, 0);
  const drawn = drawnOf(rows, Math.min(holdout, most / rows), seed).subarray(
    first,
    first + data.labels.length,
  );
  const part = (mark: number) =>
    selectRows(
      data,
      Int32Array.from(drawn.keys()).filter((row) => drawn[row] === mark),
    );
  return { training: part(0), heldOut: part(1) };
}

/** Sends held-out rows, and training rows or a sample of them, to all shards. */
async function shareRows(
  { training, heldOut }: SplitShard,
  most: number,
  group: ShardGroup,
): Promise<{ readonly rows: SplitRows; readonly counts: number[] }> {
  const classes = training.classes.length;
  const counts = await group.gatherNumbers(classCounts(training.labels, classes));
  const all = Array.from({ length: classes }, (_, k) => counts.reduce((sum, own) => sum + own[k], 0));
  const rows = all.reduce((sum, count) => sum + count, 0);
  const first = counts
    .slice(0, group.shard)
    .reduce((sum, own) => own.reduce((total, count) => total + count, sum), 0);
  const step = Math.max(1, rows / most);
  const isShared = (row: number) => Math.floor((first + row + 1) / step) > Math.floor((first + row) / step);
  const kept = Int32Array.from(training.labels.keys()).filter(isShared);
  const sample = await gatherRows(selectRows(training, kept), group);
  const notices =
    sample.labels.length < rows
      ? [
          `The training error and the profile of the training rows come from a sample of ${formatNumber(sample.labels.length)} of ${formatNumber(rows)} rows.`,
        ]
      : [];
  const tested = heldOut && (await gatherRows(heldOut, group));
  return {
    counts: all,
    rows: {
      training: { ...sample, notices: [...training.notices, ...notices] },
      ...(tested && { heldOut: { rows: tested, drawn: "random" } }),
    },
  };
}

async function gatherRows(rows: Labelled, group: ShardGroup): Promise<Labelled> {
  const own = frameParts([tableBytes(rows.features), new Uint8Array(Int32Array.from(rows.labels).buffer)]);
  const parts = (await group.gather(own)).map((bytes) => framedParts(bytes, 2));
  // The notes are the same on all shards.
  const features = joinTables(parts.map(([table]) => tableFrom(table))).withNotices(rows.features.notices);
  const labels = Int32Array.from(parts.flatMap(([, bytes]) => [...new Int32Array(bytes.slice().buffer)]));
  if (labels.length !== features.rows || labels.some((label) => label < 0 || label >= rows.classes.length)) {
    throw new VouchError("task/failed", "The labels of another shard are damaged.");
  }
  return { ...rows, features, labels };
}

import { type BlockedError, blockedErrors } from "../checks/blocked-errors.js";
import { type ColumnShift, columnShiftsInSteps } from "../checks/column-shift.js";
import { type LeakingColumn, leakingColumnsInSteps } from "../checks/leaking-columns.js";
import { type TargetMean, targetMeansInSteps } from "../checks/target-means.js";
import { Background } from "../explain/background.js";
import { type Pausable, runOnThreads } from "../runtime/parallel/pausable.js";
import type { Run } from "../runtime/parallel/run.js";
import { formatCount, formatNumber } from "../runtime/text/number-format.js";

import type { ComparedRows } from "../table/all-but-one.js";
import { naturalRepeats } from "../table/duplicate-test.js";
import { Fingerprint, trainingRowsIn, unlabelledRowsAmong } from "../table/fingerprint.js";
import { nearCopies } from "../table/near-copies.js";
import { repeatsOfHashes } from "../table/repeated-rows.js";
import { nameHashes, rowHashesInSteps } from "../table/row-hashes.js";
import type { RowSketch } from "../table/row-sketch.js";
import type { Schema } from "../table/schema.js";
import { findNearRows, sketchRows } from "../table/sketch-rows.js";
import type { Table } from "../table/table.js";
import type { LabelledRows } from "../table/target.js";
import { TrainingProfile } from "../table/training-profile.js";
import type { FoundRepeats, HeldOutRows } from "./held-out-result.js";
import type { SplitRows } from "./split.js";

/** Facts about the rows of a split that do not depend on a model. */
export interface RowInspection {
  readonly fingerprint: Fingerprint;
  /** A sketch of where the training rows are; undefined if there is nothing to compare. */
  readonly sketch: RowSketch | undefined;
  /** A sketch of the groups of the training rows; undefined without groups. */
  readonly groups: Fingerprint | undefined;
  readonly background: Background | undefined;
  readonly profile: TrainingProfile | undefined;
  /** Number of training rows that equal another one and may be copies. */
  readonly copiedRows: number;
  /** Held-out rows that repeat others. */
  readonly repeated: FoundRepeats | undefined;
  /** Held-out rows of groups that have training rows; undefined if there are none. */
  readonly ofKnownGroup: Uint8Array | undefined;
  /** Why the held-out rows prove nothing, if that is so. */
  readonly dependence: string | undefined;
  /**
   * Columns that give the class away, and columns that differ between training and test rows; empty unless requested.
   */
  readonly leaking: readonly LeakingColumn[];
  /** Columns that contain means of the target; empty unless requested. */
  readonly targetMeans: readonly TargetMean[];
  /** Columns that mark similar rows; empty unless requested. */
  readonly alike: readonly BlockedError[];
  readonly shifted: readonly ColumnShift[];
}

/** What facts depend on in addition to the rows. */
interface FactsAbout {
  readonly schema: Schema;
  readonly unlabelled: Table | undefined;
  /** Whether there will be a verdict. */
  readonly judged: boolean;
}

/** Finds facts about rows, on this thread and others, while a model is fitted. */
export async function inspectRows(
  rows: SplitRows,
  { schema, unlabelled, judged }: FactsAbout,
  run: Run,
): Promise<RowInspection> {
  const { training, heldOut } = rows;
  const hashes = await runOnThreads(rowHashesInSteps(training, schema), run);
  const others = heldOut && (await runOnThreads(rowHashesInSteps(heldOut.rows, schema), run));
  const fingerprint = Fingerprint.ofHashes(hashes.labelled);
  const groups = groupSketch(training);
  const sketch = await runOnThreads(sketchRows(training.features, schema), run);
  const separate = heldOut?.drawn === "separate" ? heldOut.rows : undefined;
  const tested = heldOut?.rows ?? { features: training.features.select([]), labels: new Int32Array(0) };
  const repeats = await runOnThreads(
    repeatsBetween(
      { ...training, hashes: hashes.cells },
      { ...tested, hashes: others?.cells ?? new Float64Array(0) },
      schema,
      // Rows of one group are similar, and copies in another table are compared with the sketch.
      { near: !training.groups && !separate },
    ),
    run,
  );
  const known = separate && groups && knownGroups(groups, separate);
  return {
    fingerprint,
    sketch,
    groups,
    ...repeats,
    ofKnownGroup: known?.ofKnownGroup,
    dependence: others && (known?.dependence ?? (await dependenceOf(others.labelled))),
    background: Background.of(training.features, schema, run.seed),
    profile: await runOnThreads(TrainingProfile.of(training.features, schema), run),
    leaking: judged && repeats.copiedRows === 0 ? await leaksOf(rows, run) : [],
    targetMeans: judged ? await meansOf(rows, run) : [],
    alike: judged && repeats.copiedRows === 0 ? await blockedErrors(training, run) : [],
    shifted: judged ? await shiftsOf(rows, run) : [],
  };

  async function dependenceOf(tested: Float64Array): Promise<string | undefined> {
    if (!heldOut) return undefined;
    // Rows of the same table that equal training rows are distinguished; rows of another table may be the training
    // rows.
    const equal = separate && trainingRowsAmongHashes(fingerprint, tested, repeats.repeated);
    const near =
      separate && sketch && (await runOnThreads(nearTraining(sketch, separate.features, schema), run));
    return (
      equal ??
      near ??
      (unlabelled &&
        (await runOnThreads(unlabelledRowsAmong(unlabelled, heldOut.rows.features, schema), run)))
    );
  }
}

/** Largest probability at which rows that all equal training rows are assumed to be training rows. */
const NO_CHANCE = 0.05;

/** Reports rows of another table that are training rows: more equal them than chance explains, or all do. */
export function trainingRowsAmongHashes(
  fingerprint: Fingerprint,
  labelled: Float64Array,
  repeated: FoundRepeats | undefined,
): string | undefined {
  const others = Fingerprint.ofHashes(labelled);
  const allEqual = repeated !== undefined && !repeated.rows.repeated.includes(0);
  return allEqual ? trainingRowsIn(fingerprint, others, NO_CHANCE) : trainingRowsIn(fingerprint, others);
}

/**
 * Reports rows of another table that are near copies of training rows: rounded, with some noise, or changed in a
 * column.
 */
export function* nearTraining(sketch: RowSketch, rows: Table, schema: Schema): Pausable<string | undefined> {
  const { near } = yield* findNearRows(sketch, rows, schema);
  const count = near.reduce((sum, own) => sum + own, 0);
  if (count === 0) return undefined;
  return `${formatNumber(count)} of ${formatCount(near.length, "row")} nearly equal rows that the model was trained on, more than chance explains.`;
}

/** Makes the sketch of the groups of rows; undefined without groups. */
function groupSketch(rows: LabelledRows): Fingerprint | undefined {
  return rows.groups && Fingerprint.ofHashes(groupHashes(rows).filter((hash) => hash >= 0));
}

/** Hashes the group of each row; −1 for a row that is its own group. */
function groupHashes({ groups = new Int32Array(0), groupNames = [] }: LabelledRows): Float64Array {
  const hashes = nameHashes(groupNames);
  return Float64Array.from(groups, (group) => (group < hashes.length ? hashes[group] : -1));
}

/**
 * Finds rows of another table whose groups have training rows. They do not count. If there are no other rows, or if a
 * sketch of very many groups contains only some of them, the rows prove nothing; neither do rows without their groups.
 */
export function knownGroups(
  known: Fingerprint,
  rows: LabelledRows,
): Pick<HeldOutRows, "dependence" | "ofKnownGroup"> {
  if (!rows.groups) {
    const dependence =
      "The rows do not say which group they belong to, and may be of groups that have training rows.";
    return { dependence, ofKnownGroup: undefined };
  }
  const ofKnownGroup = known.knownAmong(groupHashes(rows));
  const shared = new Set(rows.groups.filter((_, row) => ofKnownGroup[row] === 1)).size;
  if (shared === 0) return { dependence: undefined, ofKnownGroup: undefined };
  const all = new Set(rows.groups).size;
  const dependence = `${formatNumber(shared)} of ${formatCount(all, "test group")} also ${shared === 1 ? "has" : "have"} training rows.`;
  return shared === all || !known.isComplete
    ? { dependence, ofKnownGroup: undefined }
    : { dependence: undefined, ofKnownGroup };
}

/**
 * Finds columns that give the class away. Copied rows make every column look like one, because its values identify
 * rows.
 */
async function leaksOf({ training, heldOut }: SplitRows, run: Run): Promise<LeakingColumn[]> {
  return await runOnThreads(leakingColumnsInSteps(training, training.classes.length, heldOut?.rows), run);
}

/** Finds columns that contain means of the target. Rows of another table have separate means. */
async function meansOf({ training, heldOut }: SplitRows, run: Run): Promise<TargetMean[]> {
  const parts = heldOut && heldOut.drawn !== "separate" ? [training, heldOut.rows] : [training];
  return await runOnThreads(targetMeansInSteps(parts, training.classes), run);
}

/**
 * Finds columns that differ between training and test rows. Rows of a random draw differ by chance only. The tests are
 * for independent rows, so rows with groups are not tested.
 */
async function shiftsOf({ training, heldOut }: SplitRows, run: Run): Promise<ColumnShift[]> {
  if (!heldOut || heldOut.rows.groups) return [];
  if (heldOut.drawn !== "separate" && heldOut.drawn !== "time") return [];
  return await runOnThreads(columnShiftsInSteps(training, heldOut.rows, training.target), run);
}

/** Rows that repeat, and the number of training rows that may be copies of others. */
type RowRepeats = Pick<RowInspection, "repeated" | "copiedRows">;

/** Finds rows that repeat others of the same table and may be copies, equal or with small changes. */
export function* copiesAmong(others: ComparedRows, schema: Schema): Pausable<FoundRepeats | undefined> {
  const none = {
    features: others.features.select([]),
    labels: new Int32Array(0),
    hashes: new Float64Array(0),
  };
  return (yield* repeatsBetween(none, others, schema, { near: false })).repeated;
}

/** Finds rows that repeat and may be copies: equal rows and, if requested, rows with small changes. */
function* repeatsBetween(
  training: ComparedRows,
  others: ComparedRows,
  schema: Schema,
  { near }: { readonly near: boolean },
): Pausable<RowRepeats> {
  const equal = yield* equalRows(training, others, schema);
  if (!near || equal.repeated?.natural === false) return equal;
  const copies = yield* nearCopies(training, others, schema);
  if (!copies) return equal;
  const { rows, column } = copies;
  const nearness = column === undefined ? "with small changes" : `in all columns but "${column}"`;
  return { repeated: { rows, natural: false, nearness }, copiedRows: rows.repeatedInTraining };
}

function* equalRows(training: ComparedRows, others: ComparedRows, schema: Schema): Pausable<RowRepeats> {
  const rows = yield* repeatsOfHashes(training.hashes, others.hashes);
  const { repeated, firstOfKind, repeatedInTraining } = rows;
  if (repeatedInTraining === 0 && !repeated.includes(1) && !firstOfKind.includes(0)) {
    return { repeated: undefined, copiedRows: 0 };
  }
  const tables = [training, others];
  const { natural } = yield* naturalRepeats(
    tables.map(({ features }) => features),
    schema,
    tables.map(({ hashes }) => hashes),
  );
  return { repeated: { rows, natural }, copiedRows: natural ? 0 : repeatedInTraining };
}

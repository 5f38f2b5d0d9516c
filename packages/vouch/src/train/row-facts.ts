import { Background } from "../evaluate/background.js";
import { type ColumnShift, columnShiftsInSteps } from "../evaluate/column-shift.js";
import { type LeakingColumn, leakingColumnsInSteps } from "../evaluate/leaking-columns.js";
import { formatCount, formatNumber } from "../runtime/number-format.js";
import type { Run } from "../runtime/run.js";
import { type Steps, withThreads } from "../runtime/steps.js";
import { Fingerprint, trainingRowsIn, unlabelledRowsAmong } from "../table/fingerprint.js";
import { naturalRepeats } from "../table/natural-repeats.js";
import { repeatsOfHashes } from "../table/repeated-rows.js";
import { nameHashes, rowHashesInSteps } from "../table/row-hashes.js";
import type { Schema } from "../table/schema.js";
import type { Table } from "../table/table.js";
import type { LabelledRows } from "../table/target.js";
import { TrainingProfile } from "../table/training-profile.js";
import type { FoundRepeats, HeldOutRows } from "./held-out-result.js";
import type { SplitRows } from "./split.js";

/** Facts about the rows of a split that do not depend on a model. */
export interface RowFacts {
  readonly fingerprint: Fingerprint;
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
  /** Columns that give the class away, and columns that differ between training and test rows; none if nobody asks. */
  readonly leaking: readonly LeakingColumn[];
  readonly shifted: readonly ColumnShift[];
}

/** What facts depend on besides the rows. */
interface FactsAbout {
  readonly schema: Schema;
  readonly unlabelled: Table | undefined;
  /** Whether there will be a verdict. */
  readonly judged: boolean;
}

/** Finds facts about rows: work of this thread and of others, which can be done while a model is fitted. */
export async function rowFacts(
  rows: SplitRows,
  { schema, unlabelled, judged }: FactsAbout,
  run: Run,
): Promise<RowFacts> {
  const { training, heldOut } = rows;
  const hashes = await withThreads(rowHashesInSteps(training, schema), run);
  const others = heldOut && (await withThreads(rowHashesInSteps(heldOut.rows, schema), run));
  const fingerprint = Fingerprint.ofHashes(hashes.labelled);
  const none = { table: training.features.select([]), hashes: new Float64Array(0) };
  const repeats = await withThreads(
    repeatsBetween(
      { table: training.features, hashes: hashes.cells },
      others ? { table: heldOut.rows.features, hashes: others.cells } : none,
      schema,
    ),
    run,
  );
  const groups = groupSketch(training);
  const separate = heldOut?.drawn === "separate" ? heldOut.rows : undefined;
  const known = separate && groups && knownGroups(groups, separate);
  return {
    fingerprint,
    groups,
    ...repeats,
    ofKnownGroup: known?.ofKnownGroup,
    dependence: others && (known?.dependence ?? (await dependenceOf(others.labelled))),
    background: Background.of(training.features, schema, run.seed),
    profile: await withThreads(TrainingProfile.of(training.features, schema), run),
    leaking: judged && repeats.copiedRows === 0 ? await leaksOf(rows, run) : [],
    shifted: judged ? await shiftsOf(rows, run) : [],
  };

  async function dependenceOf(tested: Float64Array): Promise<string | undefined> {
    if (!heldOut) return undefined;
    // Rows of the same table that equal training rows are told apart; rows of another table may be the training rows.
    const equal = separate && trainingRowsAmongHashes(fingerprint, tested, repeats.repeated);
    return (
      equal ??
      (unlabelled && (await withThreads(unlabelledRowsAmong(unlabelled, heldOut.rows.features, schema), run)))
    );
  }
}

/** Rows that all equal training rows may be them unless chance explains it: this is the largest probability that does not. */
const NO_CHANCE = 0.05;

/** Says so if rows of another table are training rows: more equal them than chance explains, or all do. */
export function trainingRowsAmongHashes(
  fingerprint: Fingerprint,
  labelled: Float64Array,
  repeated: FoundRepeats | undefined,
): string | undefined {
  const others = Fingerprint.ofHashes(labelled);
  const allEqual = repeated !== undefined && !repeated.rows.repeated.includes(0);
  return allEqual ? trainingRowsIn(fingerprint, others, NO_CHANCE) : trainingRowsIn(fingerprint, others);
}

/** Makes the sketch of the groups of rows; undefined without groups. */
function groupSketch(rows: LabelledRows): Fingerprint | undefined {
  return rows.groups && Fingerprint.ofHashes(groupHashes(rows).filter((hash) => hash >= 0));
}

/** Hashes the group of each row; −1 for a row that is a group of its own. */
function groupHashes({ groups = new Int32Array(0), groupNames = [] }: LabelledRows): Float64Array {
  const hashes = nameHashes(groupNames);
  return Float64Array.from(groups, (group) => (group < hashes.length ? hashes[group] : -1));
}

/**
 * Finds rows of another table whose groups have training rows. They do not count. If there are no others, or if a sketch of very many
 * groups has only some of them, the rows prove nothing; nor do rows without their groups.
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

/** Finds columns that give the class away. Copied rows make every column look like one: its values identify rows. */
async function leaksOf({ training, heldOut }: SplitRows, run: Run): Promise<LeakingColumn[]> {
  return await withThreads(leakingColumnsInSteps(training, training.classes.length, heldOut?.rows), run);
}

/**
 * Finds columns that differ between training and test rows. Rows of a random draw differ by chance only, and the tests are for
 * independent rows, so that rows with groups are not tested.
 */
async function shiftsOf({ training, heldOut }: SplitRows, run: Run): Promise<ColumnShift[]> {
  if (!heldOut || heldOut.rows.groups) return [];
  if (heldOut.drawn !== "separate" && heldOut.drawn !== "time") return [];
  return await withThreads(columnShiftsInSteps(training, heldOut.rows, training.target), run);
}

/** Rows that repeat, and the number of training rows that may be copies of others. */
type RowRepeats = Pick<RowFacts, "repeated" | "copiedRows">;

/** A table and the hashes of the cells of its rows. */
interface HashedTable {
  readonly table: Table;
  readonly hashes: Float64Array;
}

/** Finds rows of a table that repeat others of it, and whether independent rows would. */
export function* copiesAmong(others: HashedTable, schema: Schema): Steps<FoundRepeats | undefined> {
  const none = { table: others.table.select([]), hashes: new Float64Array(0) };
  return (yield* repeatsBetween(none, others, schema)).repeated;
}

/** Finds rows that repeat, and whether independent rows would. */
function* repeatsBetween(training: HashedTable, others: HashedTable, schema: Schema): Steps<RowRepeats> {
  const rows = yield* repeatsOfHashes(training.hashes, others.hashes);
  const { repeated, firstOfKind, repeatedInTraining } = rows;
  if (repeatedInTraining === 0 && !repeated.includes(1) && !firstOfKind.includes(0)) {
    return { repeated: undefined, copiedRows: 0 };
  }
  const tables = [training, others];
  const { natural } = yield* naturalRepeats(
    tables.map(({ table }) => table),
    schema,
    tables.map(({ hashes }) => hashes),
  );
  return { repeated: { rows, natural }, copiedRows: natural ? 0 : repeatedInTraining };
}

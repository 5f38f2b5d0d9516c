import { Background } from "../evaluate/background.js";
import { type ColumnShift, columnShiftsInSteps } from "../evaluate/column-shift.js";
import { type LeakingColumn, leakingColumnsInSteps } from "../evaluate/leaking-columns.js";
import { formatCount, formatNumber } from "../runtime/number-format.js";
import type { Run } from "../runtime/run.js";
import { type Steps, withThreads } from "../runtime/steps.js";
import { Fingerprint, trainingRowsIn, unlabelledRowsAmong } from "../table/fingerprint.js";
import { naturalRepeats } from "../table/natural-repeats.js";
import { repeatsOfHashes } from "../table/repeated-rows.js";
import { rowHashesInSteps } from "../table/row-hashes.js";
import type { Schema } from "../table/schema.js";
import type { Table } from "../table/table.js";
import type { LabelledRows } from "../table/target.js";
import { TrainingProfile } from "../table/training-profile.js";
import type { HeldOutRows } from "./held-out-result.js";
import type { SplitRows } from "./split.js";

/** Facts about the rows of a split that do not depend on a model. */
export interface RowFacts {
  readonly fingerprint: Fingerprint;
  readonly background: Background | undefined;
  readonly profile: TrainingProfile | undefined;
  /** Number of training rows that equal another one although independent rows would not. */
  readonly copiedRows: number;
  /** Held-out rows that repeat others. */
  readonly repeated: HeldOutRows["repeated"];
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
  return {
    fingerprint,
    ...repeats,
    dependence: others && (await dependenceOf(Fingerprint.ofHashes(others.labelled))),
    background: Background.of(training.features, schema, run.seed),
    profile: await withThreads(TrainingProfile.of(training.features, schema), run),
    leaking: judged && repeats.copiedRows === 0 ? await leaksOf(rows, run) : [],
    shifted: judged ? await shiftsOf(rows, run) : [],
  };

  async function dependenceOf(tested: Fingerprint): Promise<string | undefined> {
    if (!heldOut) return undefined;
    // Rows of the same table that equal training rows are told apart; rows of another table may be the training rows.
    const known = heldOut.drawn === "separate" ? trainingRowsIn(fingerprint, tested) : undefined;
    return (
      known ??
      sharedGroups(training, heldOut.rows) ??
      (unlabelled && (await withThreads(unlabelledRowsAmong(unlabelled, heldOut.rows.features, schema), run)))
    );
  }
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

/** Says so if test rows of another table are of groups that have training rows. */
function sharedGroups(training: LabelledRows, { groupNames = [] }: LabelledRows): string | undefined {
  if (groupNames === training.groupNames) return undefined;
  const known = new Set(training.groupNames);
  const shared = groupNames.filter((name) => known.has(name)).length;
  if (shared === 0) return undefined;
  return `${formatNumber(shared)} of ${formatCount(groupNames.length, "test group")} also ${shared === 1 ? "has" : "have"} training rows.`;
}

/** Rows that repeat, and the number of training rows that repeat others although independent rows would not. */
interface FoundRepeats {
  readonly repeated: HeldOutRows["repeated"];
  readonly copiedRows: number;
}

/** A table and the hashes of the cells of its rows. */
interface HashedTable {
  readonly table: Table;
  readonly hashes: Float64Array;
}

/** Finds rows of a table that repeat others of it, and whether independent rows would. */
export function* copiesAmong(others: HashedTable, schema: Schema): Steps<HeldOutRows["repeated"]> {
  const none = { table: others.table.select([]), hashes: new Float64Array(0) };
  return (yield* repeatsBetween(none, others, schema)).repeated;
}

/** Finds rows that repeat, and whether independent rows would. */
function* repeatsBetween(training: HashedTable, others: HashedTable, schema: Schema): Steps<FoundRepeats> {
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

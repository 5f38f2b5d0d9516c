import { leakingColumns } from "@vouch/core/internal/checks/leaking-columns";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Column, cellText, numberAt } from "@vouch/core/internal/table/column";
import type { SplitColumns } from "@vouch/core/internal/table/split-columns";
import type { Table } from "@vouch/core/internal/table/table";
import { labelled } from "@vouch/core/internal/table/target";
import type { PreparedTable } from "@vouch/core/internal/train/prepare-table";
import {
  parseTrainRequest,
  readerOptions,
  type TrainRequest,
  type TrainRequestInput,
} from "@vouch/core/internal/train/request/request";
import { readTrainingTable, type TrainingData } from "@vouch/core/internal/train/training-data";
import { readTable } from "@vouch/formats";
import { columnFacts } from "@vouch/views/facts";
import { inAPage } from "./advice.js";
import { toFault } from "./fault.js";
import {
  type ChosenKind,
  type ColumnOverview,
  type DataChoices,
  type DataOverview,
  type Fault,
  MOST_LISTED,
  type NamedFile,
} from "./protocol.js";
import type { ReadingChoices } from "./reading-choices.js";

/** A file as it is used for training, and how `vouch train` would read it. */
export interface DataToTrain {
  readonly rows: TrainingData;
  readonly reading: ReadingChoices;
  readonly request: TrainRequest;
}

interface ReadServices {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Reads a file with the user's choices, like `vouch train` with the corresponding options. */
export async function readChosenData(
  { name, file }: NamedFile,
  choices: DataChoices,
  services: ReadServices,
): Promise<DataToTrain> {
  const request = parseTrainRequest(chosenOptions(choices));
  const options = { ...services, ...readerOptions(request), name };
  const rows = await readTrainingTable(
    {
      read: async (target, verbatim) => ({
        rows: await readTable(file, { ...options, target, verbatim }),
      }),
    },
    request,
  );
  return { rows, reading: choices.reading ?? {}, request };
}

/** Converts the choices into options of `vouch train`. */
function chosenOptions({ target, kinds, split, mergeClasses, reading }: DataChoices): TrainRequestInput {
  const splitColumn = split.by === "random" ? undefined : split.column;
  const named = (kind: ChosenKind) => {
    const names = Object.keys(kinds).filter(
      (name) => kinds[name] === kind && name !== target && name !== splitColumn,
    );
    return names.length > 0 ? names : undefined;
  };
  return {
    ...reading,
    numeric: named("numeric"),
    categorical: named("categorical"),
    date: named("date"),
    text: named("text"),
    ignore: named("ignored"),
    target,
    mergeClasses: mergeClasses || undefined,
    ...(split.by !== "random" && { [split.by]: split.column }),
  };
}

/** Summarises the data for the page: columns, classes, identifiers and leaks. */
export function describeData({ rows }: DataToTrain, { kinds }: DataChoices): DataOverview {
  const { whole, target, table, identifiers, splitBy } = rows;
  const labels = readLabels(table, target, splitBy);
  const leaks = new Map(labels.leaks.map((leak) => [leak.column, leak.error]));
  const columns = whole.columns.map((column): ColumnOverview => {
    const { name } = column;
    const role = columnRole(name, rows, splitBy);
    const leak = leaks.get(name);
    const warning =
      leak !== undefined
        ? `Predicts the class almost alone (error ${(100 * leak).toFixed(1)}%): will you know it before the class? If not, set its kind to ignored.`
        : identifiers.includes(name)
          ? "A different value in every row: not used."
          : role === "feature"
            ? constantWarning(column)
            : undefined;
    return {
      ...columnFacts(column),
      role,
      ...(warning !== undefined && { warning }),
      isLeak: leak !== undefined,
    };
  });
  const ignored = Object.keys(kinds).filter((name) => kinds[name] === "ignored" && !whole.has(name));
  return {
    name: whole.name,
    rows: whole.rows,
    target,
    ...(rows.guess && { guessedBy: rows.guess.by }),
    hasSimilarClasses: rows.similarClasses.length > 0,
    columns: [...columns, ...ignored.map(ignoredColumn)],
    preview: previewRows(whole),
    classes: labels.classes,
    notices: whole.notices.map(({ message }) => inAPage(message)),
    fault: labels.fault,
  };
}

/** Warns that a column with equal values cannot be learned from. */
function constantWarning(column: Column): string | undefined {
  const cells = column.kind === "categorical" ? column.codes : column.values;
  const values = new Set<number>();
  for (const cell of cells) {
    if (Number.isNaN(cell) || (column.kind === "categorical" && cell < 0)) continue;
    values.add(cell);
    if (values.size > 1) return undefined;
  }
  return values.size === 0
    ? "All values are missing: not used."
    : "The same value in every row: nothing can be learned from it.";
}

/** Number of preview rows. */
const PREVIEWED = 6;

function previewRows({ columns, rows }: Table): DataOverview["preview"] {
  const shown = columns.slice(0, MOST_LISTED);
  return Array.from({ length: Math.min(PREVIEWED, rows) }, (_, row) =>
    shown.map((column) => (isMissing(column, row) ? undefined : cellText(column, row))),
  );
}

function isMissing(column: Column, row: number): boolean {
  return column.kind === "categorical" ? column.codes[row] < 0 : Number.isNaN(numberAt(column.values, row));
}

function ignoredColumn(name: string): ColumnOverview {
  return { name, kind: "ignored", missing: 0, values: "not read", counts: [], role: "ignored" };
}

function columnRole(
  name: string,
  { target, identifiers }: PreparedTable,
  { group, time }: SplitColumns,
): ColumnOverview["role"] {
  if (name === target) return "target";
  if (name === group) return "group";
  if (name === time) return "time";
  return identifiers.includes(name) ? "identifier" : "feature";
}

/** The classes of a table and its leaking columns, or why it has no classes. */
interface Labels extends Pick<DataOverview, "classes"> {
  readonly leaks: ReturnType<typeof leakingColumns>;
  readonly fault?: Fault;
}

function readLabels(table: Table, target: string, splitBy: SplitColumns): Labels {
  try {
    const data = labelled(table, target, splitBy);
    const counts = new Array<number>(data.classes.length).fill(0);
    for (const label of data.labels) counts[label]++;
    return {
      classes: data.classes.map((name, k) => ({ name, rows: counts[k] })),
      leaks: leakingColumns(data, data.classes.length),
    };
  } catch (error) {
    if (error instanceof VouchError) return { classes: [], leaks: [], fault: toFault(error) };
    throw error;
  }
}

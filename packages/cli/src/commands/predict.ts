import { type CsvCell, csvLine } from "@vouch/formats";
import { loadModel, writeFileAtomic } from "vouch/node";
import { type Classifier, type Column, type Table, VouchError } from "vouch/predict";
import type { PrintingFlags, ReadingFlags } from "../flags.js";
import { interruptible } from "../interruption.js";
import { checkOutputs, fileOrOutput } from "../output-file.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import { noticePrinter, type Terminal } from "../terminal.js";

/** Flags of `vouch predict`. */
export interface PredictFlags extends ReadingFlags, PrintingFlags {
  readonly out?: string;
  readonly scores?: boolean;
  /** Columns of DATA to copy. */
  readonly keep?: readonly string[];
}

/** The columns to write; the cells of a row are made when they are needed. */
interface Output {
  readonly header: readonly string[];
  readonly rows: number;
  cells(row: number): readonly CsvCell[];
}

/** `vouch predict MODEL DATA`: writes the class of every row as CSV or JSON. */
export async function predict(
  model: string,
  data: string,
  flags: PredictFlags,
  terminal: Terminal,
): Promise<void> {
  const out = fileOrOutput(flags.out);
  checkOutputs({ out }, [model, data]);
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  await interruptible(async (signal) => {
    const classifier = await loadModel(model);
    const { target, columns: like } = classifier.encoder.schema;
    const reading = { flags, target, like, kept: flags.keep ?? [], signal, progress: display.report };
    const table = await readNewData(data, reading);
    display.clear();
    const output = predicted(classifier, table, flags, noticePrinter(flags, terminal));
    const text = flags.json ? asJson(output) : asCsv(output);
    if (out === undefined) terminal.out.write(text);
    else await writeFileAtomic(out, new TextEncoder().encode(text));
  });
}

/** Predicts, and joins the kept columns, the predictions and, if requested, the scores. */
function predicted(
  classifier: Classifier,
  table: Table,
  { keep = [], scores: wanted }: PredictFlags,
  notice: (text: string) => void,
): Output {
  const kept = keep.map((name) => table.column(name));
  const used = new Set(classifier.encoder.schema.columns.map(({ name }) => name));
  // No notice that the model does not use a column that is kept.
  const rows = table.without(keep.filter((name) => !used.has(name)));
  const { predictions, scores: own } = classifier.classify(rows, { onNotice: notice });
  const scores = wanted ? own : undefined;
  const added = ["prediction", ...(scores ? classifier.classes.map((name) => `score:${name}`) : [])];
  const header = [...keep, ...added];
  const twice = header.find((name, j) => header.indexOf(name) < j);
  if (twice !== undefined) {
    throw new VouchError("option/invalid", `The predictions would have two columns "${twice}".`, {
      hint: "Remove it from --keep.",
    });
  }
  return {
    header,
    rows: predictions.length,
    cells: (row) => [
      ...kept.map((column) => cellOf(column, row)),
      predictions[row],
      ...(scores?.row(row) ?? []),
    ],
  };
}

/** Returns a cell as it was read; null if it is missing. */
function cellOf(column: Column, row: number): CsvCell {
  if (column.kind === "categorical") return column.levels[column.codes[row]] ?? null;
  const value = column.values[row];
  return Number.isNaN(value) ? null : value;
}

function asCsv({ header, rows, cells }: Output): string {
  return csvLine(header) + Array.from({ length: rows }, (_, row) => csvLine(cells(row))).join("");
}

function asJson({ header, rows, cells }: Output): string {
  const record = (values: readonly CsvCell[]) =>
    Object.fromEntries(header.map((name, j) => [name, values[j]]));
  const records = Array.from({ length: rows }, (_, row) => record(cells(row)));
  return `${JSON.stringify(records)}\n`;
}

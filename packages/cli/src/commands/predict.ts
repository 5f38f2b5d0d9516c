import { type CsvCell, csvLine } from "@vouch/formats";
import { loadModel, writeFileAtomic } from "vouch/node";
import {
  type Classifier,
  type Column,
  type DecisionRule,
  type Matrix,
  numberAt,
  type Run,
  type Table,
  thresholdRule,
  VouchError,
} from "vouch/predict";
import type { PrintingFlags, ReadingFlags } from "../flags.js";
import { interruptible } from "../interruption.js";
import { checkOutputs, fileOrOutput } from "../output-file.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import { refuseUnlike, type StrictFlags, startCheck } from "../strict-rows.js";
import { noticePrinter, type Terminal } from "../terminal.js";

/** Flags of `vouch predict`. */
export interface PredictFlags extends ReadingFlags, PrintingFlags, StrictFlags {
  readonly out?: string;
  readonly probabilities?: boolean;
  /** CLASS=p. */
  readonly threshold?: string;
  /** Number of reasons for each row. */
  readonly reasons?: number;
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
    const run = { signal, progress: display.report };
    const output = await predicted(classifier, table, flags, { notice: noticePrinter(flags, terminal), run });
    display.clear();
    const text = flags.json ? asJson(output) : asCsv(output);
    if (out === undefined) terminal.out.write(text);
    else await writeFileAtomic(out, new TextEncoder().encode(text));
  });
}

/** Predicts, and joins the kept columns, the predictions and everything else that is asked for. */
async function predicted(
  classifier: Classifier,
  table: Table,
  flags: PredictFlags,
  { notice, run }: { readonly notice: (text: string) => void; readonly run: Partial<Run> },
): Promise<Output> {
  const { keep = [] } = flags;
  const kept = keep.map((name) => table.column(name));
  const used = new Set(classifier.encoder.schema.columns.map(({ name }) => name));
  // No notice that the model does not use a column that is kept.
  const rows = table.without(keep.filter((name) => !used.has(name)));
  const rule = ruleOf(flags, classifier);
  if (rule && classifier.decision.abstention) {
    notice(
      "--threshold changes the predictions, so that the model answers every row, without its guarantee.",
    );
  }
  const check = await startCheck(classifier, flags);
  const { predictions, probabilities, scores, sets } = classifier.classify(rows, {
    onNotice: notice,
    check,
    ...(rule && { rule }),
  });
  refuseUnlike(check, flags, table.name);
  check?.notices().forEach(notice);
  if (flags.probabilities && !probabilities) throw noProbabilities();
  const reasons =
    flags.reasons === undefined
      ? undefined
      : await reasonsOf(classifier, rows, predictions, flags.reasons, run);
  const blocks: Block[] = [
    ...kept.map((column) => ({ names: [column.name], cells: (row: number) => [cellOf(column, row)] })),
    { names: ["prediction"], cells: (row) => [predictions[row]] },
    ...(sets ? [{ names: ["set"], cells: (row: number) => [sets[row].join("|")] }] : []),
    ...(flags.probabilities && probabilities ? [matrixBlock("probability", classifier, probabilities)] : []),
    ...(flags.scores ? [matrixBlock("score", classifier, scores)] : []),
    ...(reasons ? [reasons] : []),
  ];
  const header = blocks.flatMap(({ names }) => names);
  const twice = header.find((name, j) => header.indexOf(name) < j);
  if (twice !== undefined) {
    throw new VouchError("option/invalid", `The predictions would have two columns "${twice}".`, {
      hint: "Remove it from --keep.",
    });
  }
  return { header, rows: predictions.length, cells: (row) => blocks.flatMap(({ cells }) => cells(row)) };
}

/** Some columns of the output. */
interface Block {
  readonly names: readonly string[];
  cells(row: number): readonly CsvCell[];
}

function matrixBlock(prefix: string, { classes }: Classifier, values: Matrix): Block {
  return { names: classes.map((name) => `${prefix}:${name}`), cells: (row) => [...values.row(row)] };
}

/** Parses `--threshold CLASS=p`. */
function ruleOf({ threshold }: PredictFlags, classifier: Classifier): DecisionRule | undefined {
  if (threshold === undefined) return undefined;
  const equals = threshold.lastIndexOf("=");
  const text = threshold.slice(equals + 1).trim();
  if (equals < 1 || text === "" || Number.isNaN(Number(text))) {
    throw new VouchError("option/invalid", `--threshold is "${threshold}".`, {
      hint: "Write CLASS=p with a probability, such as Yes=0.2.",
    });
  }
  const { decision, model } = classifier;
  if (!decision.calibrator && model.scoring === "decision") throw noProbabilities();
  return thresholdRule(classifier.classes, threshold.slice(0, equals), Number(text));
}

function noProbabilities(): VouchError {
  return new VouchError("model/no-probabilities", "The model gives decision values, not probabilities.", {
    hint: "It was trained by another program, or with --no-calibrate. Use --scores, or train it again.",
  });
}

/** Explains every row by the columns that contribute most to the score of its class. */
async function reasonsOf(
  classifier: Classifier,
  rows: Table,
  predictions: readonly string[],
  most: number,
  run: Partial<Run>,
): Promise<Block> {
  const { model, encoder, background, card } = classifier;
  if (!background) {
    throw new VouchError("learner/unsupported", "The model has no background rows to explain rows with.", {
      hint: "Models of another program, and of very many columns, have none.",
    });
  }
  const [{ reasonsFor }, { reasonColumns }] = await Promise.all([
    import("vouch/train"),
    import("../reason-columns.js"),
  ]);
  const count = Math.min(most, encoder.schema.columns.length);
  const options = { class: predictions, most: count, seed: card.seed };
  const found = await reasonsFor(model, encoder, background.table, rows, options, run);
  const { header: names, cells } = reasonColumns(found, count);
  return { names, cells };
}

/** Returns a cell as it was read; null if it is missing. */
function cellOf(column: Column, row: number): CsvCell {
  if (column.kind === "categorical") return column.levels[column.codes[row]] ?? null;
  const value = numberAt(column.values, row);
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

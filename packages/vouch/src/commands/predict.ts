import { setImmediate } from "node:timers/promises";
import type { ShiftDetector } from "@vouch/core/internal/checks/shift-detector";
import { type DecisionRule, thresholdRule } from "@vouch/core/internal/metrics/decision-rule";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import type { Progress, Run } from "@vouch/core/internal/runtime/parallel/run";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Column, numberAt } from "@vouch/core/internal/table/column";
import { SchemaMatch } from "@vouch/core/internal/table/schema-match";
import type { Table } from "@vouch/core/internal/table/table";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { loadModel } from "@vouch/core/internal/train/file";
import type { CsvCell } from "@vouch/formats";
import { CsvText, JsonText, type OutputColumn, type PredictionText } from "../format/predictions.js";
import { readAhead } from "../input/read-ahead.js";
import { readNewDataInChunks } from "../input/reading.js";
import { refuseShifted, type StrictFlags, startCheck } from "../input/strict-rows.js";
import { type ClusterFlags, type PrintingFlags, type ReadingFlags, wrongValue } from "../options/flags.js";
import { withCommandContext } from "../process/command-context.js";
import { checkOutputs, fileOrOutput } from "../process/output-file.js";
import { type OutputPiece, printAllOrNothing, printPieces, writePieces } from "../process/output-pieces.js";
import type { ProgressDisplay } from "../process/progress-display.js";
import { noticePrinter, printable, type Terminal, writeText } from "../process/terminal.js";

/** Flags of `vouch predict`. */
export interface PredictFlags extends ReadingFlags, PrintingFlags, StrictFlags, ClusterFlags {
  readonly threads?: number;
  readonly out?: string;
  readonly probabilities?: boolean;
  /** In the form CLASS=p. */
  readonly threshold?: string;
  /** Number of reasons per row. */
  readonly reasons?: number;
  readonly scores?: boolean;
  /** Columns of DATA to copy. */
  readonly keep?: readonly string[];
  /** Keeps spreadsheets from running cells as formulas. */
  readonly safeCsv?: boolean;
}

/**
 * `vouch predict MODEL DATA`: writes the class of every row as CSV or JSON. Rows are processed in parts of at most
 * `rowsAtOnce`; the output does not depend on it.
 */
export async function runPredict(
  model: string,
  data: string,
  flags: PredictFlags,
  terminal: Terminal,
  rowsAtOnce?: number,
): Promise<void> {
  const out = fileOrOutput(flags.out);
  checkOutputs({ out }, [model, data]);
  if (out !== undefined && /\.(xlsx?|ods|parquet)$/i.test(out)) {
    throw new VouchError("option/invalid", `--out must be a CSV or JSON file, not ${out}.`, {
      hint: "Give a name that ends in .csv, which spreadsheets can open. With --json, give a name that ends in .json.",
    });
  }
  if (flags.json && flags.safeCsv) {
    throw new VouchError("option/invalid", "--safe-csv cannot be combined with --json.", {
      hint: "Spreadsheets do not run formulas in JSON. Drop one of the two options.",
    });
  }
  await withCommandContext(flags, terminal, async ({ executor, stops: { abort: signal }, display }) => {
    const classifier = await loadModel(model);
    const check = await startCheck(classifier, flags);
    const prediction = new Prediction(classifier, flags, check, noticePrinter(flags, terminal));
    const rows = rowsAtOnce ?? prediction.rowsAtOnce(executor.cluster?.threads ?? executor.threads);
    const pieces = predictedPieces(data, prediction, rows, { display, executor, signal });
    const print = flags.strict ? printAllOrNothing : printPieces;
    if (out === undefined) await print(terminal.out, pieces, signal);
    else {
      await writePieces(out, pieces);
      if (!flags.quiet) writeText(terminal.err, `${prediction.summary()}; written to ${printable(out)}\n`);
    }
  });
}

/** Services that predictions need in addition to data and model. */
interface PredictionServices {
  readonly display: ProgressDisplay;
  readonly executor: Executor;
  readonly signal: AbortSignal;
}

/**
 * Reads and predicts DATA part by part: while threads score one part, the next one is read and the previous one is
 * written. A part is passed on only when the next one has been predicted, so that nothing is written if data of a
 * single part turns out to be unsuitable.
 */
async function* predictedPieces(
  data: string,
  prediction: Prediction,
  rowsAtOnce: number,
  { display, executor, signal }: PredictionServices,
): AsyncGenerator<OutputPiece> {
  let rows = 0;
  let name = data;
  let piece: OutputPiece | undefined;
  const { target, columns: like } = prediction.schema;
  const progress = (reading: Progress) => display.report({ ...reading, note: formatCount(rows, "row") });
  const options = { flags: prediction.flags, target, like, kept: prediction.kept };
  const reading = { ...options, signal, progress, executor };
  const tables = readAhead(readNewDataInChunks(data, reading, rowsAtOnce));
  for await (const part of readAhead(prediction.ofTables(tables, { executor, signal }))) {
    name = part.name;
    const text = prediction.textOf(part);
    if (piece) {
      display.clear();
      yield piece;
    }
    piece = { text, rows: part.rows };
    rows += part.rows;
    // Lets the event loop run, because data in memory never waits for the disk.
    await setImmediate();
    if (signal.aborted) throw interrupted();
  }
  display.clear();
  prediction.finish(name);
  if (piece) yield piece;
  yield { text: prediction.end(), rows: 0 };
}

/** Maximum number of cells to read, encode and score at once: some megabytes. */
const CELLS_AT_ONCE = 1 << 19;
/** Number of threads that share these cells; more threads get more rows, up to a limit. */
const THREADS_AT_ONCE = 4;
const MOST_SHARES = 4;
/** Maximum number of rows per part; reasons take much longer than predictions. */
const MOST_ROWS = 1 << 14;
const MOST_ROWS_WITH_REASONS = 1 << 10;

/** Maximum number of classes to count in the final message. */
const MOST_CLASSES = 8;

/** Predicted rows: the name of their table, and the columns to write. */
interface PredictedPart {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly OutputColumn[];
}

/** Predicts rows part by part, and joins kept columns, predictions and everything else requested. */
class Prediction {
  readonly flags: PredictFlags;
  readonly #classifier: Classifier;
  readonly #notice: (text: string) => void;
  readonly #rule: DecisionRule | undefined;
  readonly #match: SchemaMatch;
  /** Compares all rows with the training rows. */
  readonly #check: ShiftDetector | undefined;
  readonly #text: PredictionText;
  /** Number of predicted rows by class. */
  readonly #predicted = new Map<string, number>();
  /** Notes on how the file was read. */
  readonly #ofReading = new Set<string>();
  /** Kept columns that the model does not use, which need no note. */
  readonly #onlyKept: readonly string[];

  constructor(
    classifier: Classifier,
    flags: PredictFlags,
    check: ShiftDetector | undefined,
    notice: (text: string) => void,
  ) {
    this.flags = flags;
    this.#classifier = classifier;
    this.#check = check;
    this.#notice = notice;
    this.#rule = ruleOf(flags, classifier);
    this.#match = new SchemaMatch(this.schema);
    this.#text = flags.json ? new JsonText() : new CsvText({ safe: flags.safeCsv === true });
    const used = new Set(this.schema.columns.map(({ name }) => name));
    this.#onlyKept = this.kept.filter((name) => !used.has(name));
    if (this.#rule && classifier.decision.abstention) {
      notice(
        "--threshold changes the predictions, so that the model answers every row, without its guarantee.",
      );
    }
  }

  get schema(): Classifier["encoder"]["schema"] {
    return this.#classifier.encoder.schema;
  }

  get kept(): readonly string[] {
    return this.flags.keep ?? [];
  }

  /** Returns the number of rows per part: fewer for wide tables, more for many threads. */
  rowsAtOnce(threads: number): number {
    const width = this.schema.columns.length + this.kept.length + this.#classifier.classes.length;
    const most = this.flags.reasons === undefined ? MOST_ROWS : MOST_ROWS_WITH_REASONS;
    const few = Math.max(16, Math.min(most, Math.floor(CELLS_AT_ONCE / width)));
    return few * Math.min(MOST_SHARES, Math.ceil(threads / THREADS_AT_ONCE));
  }

  /** Predicts the rows of tables, one after the other. */
  async *ofTables(tables: AsyncIterable<Table>, run: Partial<Run>): AsyncGenerator<PredictedPart> {
    for await (const table of tables) {
      const used = this.schema.columns.map(({ name }) => name);
      for (const message of table.noticesAbout(used)) this.#ofReading.add(message);
      yield { name: table.name, rows: table.rows, columns: await this.#columnsOf(table, run) };
    }
  }

  /** Formats predicted rows. */
  textOf({ columns, rows }: PredictedPart): string {
    const names = columns.map(({ name }) => name);
    const twice = names.find((name, j) => names.indexOf(name) < j);
    if (twice !== undefined) {
      throw new VouchError("option/invalid", `The predictions would have two columns "${twice}".`, {
        hint: "Remove it from --keep.",
      });
    }
    return this.#text.rows(columns, rows);
  }

  /** Counts the predicted rows and their classes: "5,000 rows predicted: no 4,308, yes 692". */
  summary(): string {
    const rows = [...this.#predicted.values()].reduce((sum, count) => sum + count, 0);
    const byCount = [...this.#predicted].sort(([, a], [, b]) => b - a);
    const shown = byCount
      .slice(0, MOST_CLASSES)
      .map(([name, count]) => `${printable(visibleSpaces(name))} ${formatNumber(count)}`);
    const more =
      byCount.length > MOST_CLASSES
        ? `, and ${formatNumber(byCount.length - MOST_CLASSES)} more classes`
        : "";
    return `${formatCount(rows, "row")} predicted${rows > 0 ? ": " : ""}${shown.join(", ")}${more}`;
  }

  /** After the last rows: checks that the rows suit the model, and prints notes. */
  finish(name: string): void {
    this.#match.check();
    refuseShifted(this.#check, this.flags, name);
    const ofRows = this.#check
      ? [...this.#match.columnNotices(), ...this.#check.notices()]
      : this.#match.notices();
    for (const notice of [...this.#ofReading, ...ofRows]) this.#notice(notice);
  }

  /** Formats what follows the last row. */
  end(): string {
    return this.#text.end();
  }

  async #columnsOf(table: Table, run: Partial<Run>): Promise<OutputColumn[]> {
    const { flags } = this;
    const classifier = this.#classifier;
    const kept = this.kept.map((name) => table.column(name));
    const rows = table.without(this.#onlyKept);
    const { predictions, probabilities, scores, sets } = await classifier.classifyRows(rows, {
      match: this.#match,
      check: this.#check,
      ...(this.#rule && { rule: this.#rule }),
      run,
    });
    if (flags.probabilities && !probabilities) throw noProbabilities();
    for (const one of predictions) this.#predicted.set(one, (this.#predicted.get(one) ?? 0) + 1);
    const reasons =
      flags.reasons === undefined ? [] : await reasonsOf(classifier, rows, predictions, flags.reasons, run);
    return [
      ...kept.map((column) => ({ name: column.name, cell: (row: number) => cellOf(column, row) })),
      { name: "prediction", cell: (row) => predictions[row] },
      ...(sets ? [{ name: "set", cell: (row: number) => sets[row].join("|") }] : []),
      ...(flags.probabilities && probabilities
        ? matrixColumns("probability", classifier, probabilities)
        : []),
      ...(flags.scores ? matrixColumns("score", classifier, scores) : []),
      ...reasons,
    ];
  }
}

function matrixColumns(prefix: string, { classes }: Classifier, { values, columns }: Matrix): OutputColumn[] {
  return classes.map((name, k) => ({
    name: `${prefix}:${name}`,
    cell: (row) => values[row * columns + k],
  }));
}

/** Parses `--threshold CLASS=p`. */
function ruleOf({ threshold }: PredictFlags, classifier: Classifier): DecisionRule | undefined {
  if (threshold === undefined) return undefined;
  const equals = threshold.lastIndexOf("=");
  const text = threshold.slice(equals + 1).trim();
  if (equals < 1 || text === "" || Number.isNaN(Number(text))) {
    throw wrongValue("--threshold", "CLASS=p with a probability p, such as Yes=0.2", threshold);
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

/** Explains rows by the columns that contribute most to the score of their class. */
async function reasonsOf(
  classifier: Classifier,
  rows: Table,
  predictions: readonly string[],
  most: number,
  run: Partial<Run>,
): Promise<OutputColumn[]> {
  const { model, encoder, background, card } = classifier;
  if (!background) {
    throw new VouchError("learner/unsupported", "The model has no background rows to explain rows with.", {
      hint: "Models of another program, and of very many columns, have none.",
    });
  }
  const [{ reasonsFor }, { reasonColumns }] = await Promise.all([
    import("@vouch/core/internal/explain/reasons"),
    import("../format/reason-columns.js"),
  ]);
  const count = Math.min(most, encoder.schema.columns.length);
  // The classifier has already recorded how these rows match the schema.
  const match = new SchemaMatch(encoder.schema);
  const options = { class: predictions, most: count, seed: card.seed, match };
  const found = await reasonsFor(model, encoder, background.table, rows, options, run);
  return reasonColumns(found, count);
}

/** Returns a cell as read; null if it is missing. */
function cellOf(column: Column, row: number): CsvCell {
  if (column.kind === "categorical") return column.levels[column.codes[row]] ?? null;
  const value = numberAt(column.values, row);
  return Number.isNaN(value) ? null : value;
}

import { csvLine } from "@vouch/formats";
import type { Matrix } from "vouch/learning";
import { loadModel, writeFileAtomic } from "vouch/node";
import { interruptible } from "../interruption.js";
import { noticePrinter } from "../notices.js";
import { checkOutputs, fileOrOutput } from "../output-file.js";
import type { PrintingFlags, ReadingFlags } from "../program.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import type { Terminal } from "../terminal.js";

/** Flags of `vouch predict`. */
export interface PredictFlags extends ReadingFlags, PrintingFlags {
  readonly out?: string;
  readonly scores?: boolean;
}

/** Predicted classes, and the scores they come from where they were asked for. */
interface Predictions {
  readonly classes: readonly string[];
  readonly predictions: readonly string[];
  readonly scores?: Matrix;
}

/** `vouch predict MODEL DATA`: the class of every row, as CSV or JSON. */
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
    const table = await readNewData(data, { flags, target, like, signal, progress: display.report });
    display.clear();
    const result: Predictions = {
      classes: classifier.classes,
      predictions: classifier.predict(table, noticePrinter(flags, terminal)),
      ...(flags.scores && { scores: classifier.scores(table) }),
    };
    const text = flags.json ? asJson(result) : asCsv(result);
    if (out === undefined) terminal.out.write(text);
    else await writeFileAtomic(out, new TextEncoder().encode(text));
  });
}

function asCsv({ classes, predictions, scores }: Predictions): string {
  const header = ["prediction", ...(scores ? classes.map((name) => `score:${name}`) : [])];
  const lines = predictions.map((prediction, i) => csvLine([prediction, ...(scores ? scores.row(i) : [])]));
  return [csvLine(header), ...lines].join("");
}

function asJson({ classes, predictions, scores }: Predictions): string {
  const rows = predictions.map((prediction, i) => ({
    prediction,
    ...(scores && Object.fromEntries(classes.map((name, k) => [`score:${name}`, scores.row(i)[k]]))),
  }));
  return `${JSON.stringify(rows)}\n`;
}

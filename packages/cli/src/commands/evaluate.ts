import { type Evaluation, formatCount, formatNumber, formatPercent } from "vouch";
import { loadModel } from "vouch/node";
import { alignedTable } from "../aligned-table.js";
import { confusionLines } from "../confusion-lines.js";
import { interruptible } from "../interruption.js";
import { noticePrinter } from "../notices.js";
import type { PrintingFlags, ReadingFlags } from "../program.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import { type Terminal, width } from "../terminal.js";

/** Flags of `vouch evaluate`. */
export interface EvaluateFlags extends ReadingFlags, PrintingFlags {}

/** `vouch evaluate MODEL DATA`: the error on labelled rows, other measures, the confusion matrix. */
export async function evaluate(
  model: string,
  data: string,
  flags: EvaluateFlags,
  terminal: Terminal,
): Promise<void> {
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  await interruptible(async (signal) => {
    const classifier = await loadModel(model);
    const { target, columns: like } = classifier.encoder.schema;
    const table = await readNewData(data, { flags, target, like, signal, progress: display.report });
    display.clear();
    const evaluation = classifier.evaluate(table, noticePrinter(flags, terminal));
    if (flags.json) terminal.out.write(`${JSON.stringify(evaluation, null, 2)}\n`);
    else printEvaluation(evaluation, table.name, terminal);
  });
}

function printEvaluation(evaluation: Evaluation, name: string, { out }: Terminal): void {
  const { rows, error, balancedAccuracy, macroF1, auc, logLoss, confusion } = evaluation;
  const measures: [string, string][] = [
    ["error", formatPercent(error)],
    ["accuracy", formatPercent(1 - error)],
    ["balanced accuracy", formatPercent(balancedAccuracy)],
    ["macro F1", formatNumber(macroF1)],
  ];
  if (auc !== undefined) measures.push(["AUC", formatNumber(auc)]);
  if (logLoss !== undefined) measures.push(["log loss", formatNumber(logLoss)]);
  const headings = [{ title: "" }, { title: "", right: true }];
  out.write(`${name}: ${formatCount(rows, "labelled row")}\n\n${alignedTable(headings, measures)}\n\n`);
  out.write(`${confusionLines(confusion, width(out))}\n`);
}

import type { Confusion, Evaluation } from "@vouch/core/internal/metrics/evaluation";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { evaluateClassifier } from "@vouch/core/internal/train/evaluate-classifier";
import { loadModel } from "@vouch/core/internal/train/file";
import type { Verdict } from "@vouch/core/internal/train/verdict";
import { alignedTable } from "../format/aligned-table.js";
import { type AnsweredShare, answeredShare, type CoveredShare, coveredShares } from "../format/decision.js";
import { verdictAsJson, verdictLines } from "../format/verdict.js";
import { readTestRows, type StrictFlags } from "../input/strict-rows.js";
import type { PrintingFlags, ReadingFlags } from "../options/flags.js";
import { withCommandContext } from "../process/command-context.js";
import { noticePrinter, printable, printJson, type Terminal, width, writeText } from "../process/terminal.js";

/** Flags of `vouch evaluate`. */
export interface EvaluateFlags extends ReadingFlags, PrintingFlags, StrictFlags {}

/** `vouch evaluate MODEL DATA`: prints error, other measures and the confusion matrix on labelled rows. */
export async function runEvaluate(
  model: string,
  data: string,
  flags: EvaluateFlags,
  terminal: Terminal,
): Promise<void> {
  await withCommandContext(flags, terminal, async (work) => {
    const classifier = await loadModel(model);
    const table = await readTestRows(classifier, data, flags, work);
    const { evaluation, verdict, answers, findings } = await evaluateClassifier(classifier, table, {
      onNotice: noticePrinter(flags, terminal),
      run: { signal: work.stops.abort, executor: work.executor },
    });
    const answered = answeredShare(answers);
    const sets = coveredShares(answers, classifier.classes);
    if (flags.json) {
      printJson(terminal, {
        ...evaluation,
        ...(answered && { answers: answered }),
        ...(sets && { sets }),
        ...(verdict && verdictAsJson(verdict)),
        findings,
      });
    } else printEvaluation({ evaluation, verdict, answered, sets, name: table.name }, terminal);
  });
}

/** Results of a model on labelled rows. */
interface Evaluated {
  readonly evaluation: Evaluation;
  readonly verdict: Verdict | undefined;
  readonly answered: AnsweredShare | undefined;
  readonly sets: readonly CoveredShare[] | undefined;
  readonly name: string;
}

function printEvaluation(
  { evaluation, verdict, answered, sets = [], name }: Evaluated,
  { out }: Terminal,
): void {
  const { rows, error, balancedAccuracy, macroF1, f1, positive, auc, logLoss, brier, confusion } = evaluation;
  const measures: [string, string][] = [
    ["error", formatPercent(error)],
    ["accuracy", formatPercent(1 - error)],
    ["balanced accuracy", formatPercent(balancedAccuracy)],
    ["macro F1", formatNumber(macroF1)],
  ];
  if (f1 !== undefined)
    measures.push([`F1 of "${printable(visibleSpaces(positive ?? ""))}"`, formatNumber(f1)]);
  if (auc !== undefined) measures.push(["AUC", formatNumber(auc)]);
  if (logLoss !== undefined) measures.push(["log loss", formatNumber(logLoss)]);
  if (brier !== undefined) measures.push(["Brier score", formatNumber(brier)]);
  if (answered) measures.push(["answered", formatPercent(answered.share)]);
  if (answered?.error !== undefined) measures.push(["error of the answers", formatPercent(answered.error)]);
  for (const { class: own, coverage } of sets.slice(0, MOST_SETS)) {
    if (coverage === undefined) continue;
    const of = own === undefined ? "" : `, of "${printable(visibleSpaces(own))}"`;
    measures.push([`sets with the class${of}`, formatPercent(coverage)]);
  }
  const headings = [{ title: "" }, { title: "", right: true }];
  writeText(out, `${printable(name)}: ${formatCount(rows, "labelled row")}\n\n`);
  if (verdict) writeText(out, `${verdictLines(verdict, undefined, out)}\n`);
  writeText(out, `${alignedTable(headings, measures)}\n\n`);
  writeText(out, `${confusionLines(confusion, width(out))}\n`);
}

/** Maximum number of classes whose sets are listed. */
const MOST_SETS = 20;

/** Maximum number of confusions to list if the matrix does not fit. */
const MOST_PAIRS = 10;

/** Formats the confusion matrix with true classes in rows; if it is too wide, lists the most frequent confusions. */
function confusionLines(confusion: Confusion, columns: number): string {
  const table = matrixLines(confusion);
  const widest = Math.max(...table.split("\n").map((line) => line.length));
  return widest <= columns ? table : pairLines(confusion, columns);
}

function matrixLines({ classes, matrix }: Confusion): string {
  const headings = [
    { title: "true ↓  predicted →" },
    ...classes.map((name) => ({ title: visibleSpaces(name), right: true })),
  ];
  const rows = matrix.map((row, i) => [
    visibleSpaces(classes[i]),
    ...row.map((cell) => (cell === 0 ? "·" : formatNumber(cell))),
  ]);
  return alignedTable(headings, rows, Number.POSITIVE_INFINITY);
}

function pairLines({ classes, matrix }: Confusion, columns: number): string {
  const pairs = matrix.flatMap((row, i) =>
    row
      .map((rows, j) => ({ rows, of: row.reduce((a, b) => a + b, 0), from: classes[i], to: classes[j] }))
      .filter(({ rows, from, to }) => rows > 0 && from !== to),
  );
  if (pairs.length === 0) return "  no confusions";
  pairs.sort((a, b) => b.rows - a.rows);
  const headings = [
    { title: "true" },
    { title: "predicted" },
    { title: "rows", right: true },
    { title: "of class", right: true },
  ];
  const rows = pairs
    .slice(0, MOST_PAIRS)
    .map(({ rows, of, from, to }) => [
      visibleSpaces(from),
      visibleSpaces(to),
      formatNumber(rows),
      formatPercent(rows / of),
    ]);
  const more =
    pairs.length > MOST_PAIRS ? `\n  … and ${formatNumber(pairs.length - MOST_PAIRS)} more (see --json)` : "";
  return alignedTable(headings, rows, columns) + more;
}

import type { ColumnDrift } from "@vouch/core/internal/checks/drift-monitor";
import {
  formatCount,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import type { SequentialErrorTest } from "@vouch/core/internal/theory/held-out/sequential-error-test";
import type { MonitoredCertificate } from "@vouch/core/internal/train/monitored-certificate";

export interface MonitorFacts {
  readonly monitored: MonitoredCertificate;
  readonly test: SequentialErrorTest;
  readonly falseAlarm: number;
  readonly status: "no certificate" | "waiting" | "holds so far" | "doubtful";
  readonly columns: readonly ColumnDrift[];
}

/** Describes the state of a monitor in a few sentences: first the certificate, then drifted columns. */
export function monitorSentence(facts: MonitorFacts): string {
  return `${certificateSentence(facts)} ${driftSentence(facts.columns)}`;
}

function certificateSentence({ monitored, test, falseAlarm, status }: MonitorFacts): string {
  const { rows, errors } = test;
  if (!monitored.certificate) {
    const seen = rows === 0 ? "" : ` ${counted(errors, rows, "row")}`;
    return `There is no certificate to monitor. ${monitored.reason}${seen}`;
  }
  const { value, confidence } = monitored.certificate;
  const unit = monitored.rows === "all" ? "row" : "answered row";
  const bound = `that at most ${formatUpperBound(value)} of ${monitored.rows === "all" ? "rows" : "answers"} are wrong`;
  if (status === "waiting") return `The certificate says ${bound}; there is no labelled feedback yet.`;
  const seen = counted(errors, rows, unit);
  if (status === "holds so far") return `${seen} That does not contradict the certificate ${bound}.`;
  return (
    `${seen} The certificate ${bound} is doubtful: either the data have changed, or it is one of the ` +
    `${formatRoundPercent(Number((1 - confidence).toPrecision(12)))} of certificates that fail. If the bound held, ` +
    `such an alarm would ever be raised with a probability of at most ${formatRoundPercent(falseAlarm)}.`
  );
}

function counted(errors: number, rows: number, unit: string): string {
  return `The model is wrong on ${errors} of ${formatCount(rows, `labelled ${unit}`)} (${formatPercent(errors / rows)}).`;
}

/** Maximum number of columns to name. */
const LISTED = 5;

function driftSentence(columns: readonly ColumnDrift[]): string {
  if (columns.length === 0) return "Drift is not monitored: the model has no profile of its training rows.";
  const drifted = columns.filter((column) => column.drifted).sort((a, b) => b.drift - a.drift);
  if (drifted.length === 0) return "No column has drifted so far.";
  const names = drifted
    .slice(0, LISTED)
    .map(({ name, drift }) => `"${name}" (${drift.toFixed(2)})`)
    .join(", ");
  const more = drifted.length > LISTED ? ` and ${drifted.length - LISTED} more` : "";
  return `${formatCount(drifted.length, "column has", "columns have")} drifted away from the training rows: ${names}${more}.`;
}

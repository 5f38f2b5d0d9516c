import { shellQuoted } from "vouch/errors";
import { boundText } from "vouch/presentation";
import { type Certificate, formatCount, formatNumber, formatRoundPercent } from "vouch/train";
import { alignedTable } from "./aligned-table.js";

import { printable, proseWidth, styled, wrap } from "./terminal.js";

/** Says where the certificates besides the quoted one are. A model file does not keep the losses of single rows. */
export function furtherCertificates(certificates: readonly Certificate[], model: string): string {
  const [{ confidence }, ...others] = certificates;
  const telling = others.filter(({ reason }) => reason === undefined);
  const kept = telling.filter(({ measure }) => measure !== "brier" && measure !== "log-loss");
  if (kept.length === 0) return "";
  const measures = [...new Set(kept.map(({ measure }) => MEASURES[measure]))].join(", ");
  const each = kept.length > 1 ? ", each by itself" : "";
  const more = kept.length < telling.length ? " Brier score and log loss are in --json and --report." : "";
  return `${formatCount(kept.length, "more certificate")} with ${formatRoundPercent(confidence)} confidence${each} (${measures}): vouch certify ${shellQuoted(model)}.${more}`;
}

const MEASURES: Readonly<Record<Certificate["measure"], string>> = {
  error: "error",
  "group-error": "error by group",
  "class-error": "error of each class",
  precision: "precision",
  "balanced-error": "balanced error",
  cost: "cost",
  brier: "Brier score",
  "log-loss": "log loss",
  auc: "AUC",
  "answered-error": "error of answers",
  "answer-rate": "share of answered rows",
  coverage: "coverage of sets",
};

/** Only premises that were verified have a tick. */
const PREMISE_MARKS = { checked: "✓ checked:", assumed: "? assumed:", violated: "✗ violated:" };

/** Shows a certificate with its reference, every term and every premise. */
export function certificateInFull(certificate: Certificate, stream: NodeJS.WriteStream): string {
  const { name, reference, terms, premises, statement, reason } = certificate;
  const columns = proseWidth(stream);
  const termRows = Object.entries(terms).map(([term, amount]) => [term, formatNumber(amount)]);
  if (certificate.together !== undefined)
    termRows.push(["all together", shownBound(certificate, certificate.together)]);
  const premiseLines = premises.map(({ text, status }) =>
    wrap(`${PREMISE_MARKS[status]} ${text}`, columns, "    ", "      "),
  );
  const subject = certificate.class === undefined ? name : `${name} ("${certificate.class}")`;
  const heading = wrap(
    printable(`${subject}  ${shownBound(certificate)}   (${reference})`),
    columns,
    "",
    "  ",
  );
  return [
    heading.replace(name, styled(stream, "bold", name)),
    wrap(statement, columns, "  "),
    ...(reason !== undefined && !statement.includes(reason) ? [wrap(reason, columns, "  ")] : []),
    alignedTable(
      [{ title: "" }, { title: "", right: true }],
      termRows.map(([term, amount]) => [`  ${term}`, amount]),
      columns,
    ),
    ...premiseLines,
    "",
  ].join("\n");
}

/** Writes a bound, or a dash if a premise is violated. */
function shownBound(certificate: Certificate, value = certificate.value): string {
  return certificate.holds ? boundText(certificate, value) : "–";
}

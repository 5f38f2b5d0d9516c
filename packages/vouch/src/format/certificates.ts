import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { shellQuoted } from "@vouch/core/internal/runtime/text/shell";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import { printable, proseWidth, styled, wrap } from "../process/terminal.js";
import { alignedTable } from "./aligned-table.js";

/** Describes where to find the other certificates. A model file does not keep the losses of single rows. */
export function furtherCertificates(certificates: readonly Certificate[], model: string): string {
  const [, ...others] = certificates;
  const telling = others.filter(({ reason }) => reason === undefined);
  const kept = telling.filter(({ measure }) => measure !== "brier" && measure !== "log-loss");
  if (kept.length === 0) return "";
  const more = kept.length < telling.length ? " Brier score and log loss are in --json and --report." : "";
  return `${formatCount(kept.length, "more certificate")}: vouch certify ${shellQuoted(model)}.${more}`;
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

/** Error bounds in order of preference; if none of them is quoted, the first that holds is listed. */
const PREFERRED = ["held-out-binomial", "held-out-new-rows", "best-of"];

/**
 * Finds, for each measure and class, the certificate that was fixed before any value was seen: the quoted one, which
 * comes first, or one from the held-out rows. The smallest of several bounds would fail more often than each of them.
 */
export function certificatesByMeasure(certificates: readonly Certificate[]): Certificate[] {
  const subjects = [...new Set(certificates.map(subjectOf))];
  return subjects.map((subject) => {
    const own = certificates.filter((one) => subjectOf(one) === subject);
    const held = own.filter(({ holds }) => holds);
    if (held[0] === certificates[0]) return held[0];
    const preferred = PREFERRED.flatMap((name) => held.find((one) => one.name === name) ?? []);
    return preferred[0] ?? held[0] ?? own[0];
  });
}

/** Tabulates the certificates that hold. */
export function certificateTable(certificates: readonly Certificate[], columns: number): string {
  const told = certificates.filter(({ holds }) => holds);
  const isJoint = told.some(({ together }) => together !== undefined);
  const headings = [
    { title: "", prose: true },
    { title: "bound", right: true },
    ...(isJoint ? [{ title: "all together", right: true }] : []),
    { title: "certificate", whole: true },
  ];
  const rows = told.map((one) => [
    subjectOf(one),
    shownBound(one),
    ...(isJoint ? [one.together === undefined ? "" : shownBound(one, one.together)] : []),
    one.name,
  ]);
  return rows.length > 0 ? alignedTable(headings, rows, columns) : "";
}

/** Explains why some measures have no bound. */
export function missingBounds(certificates: readonly Certificate[]): string[] {
  const refused = certificates.filter(({ holds }) => !holds);
  return [...new Set(refused.map(({ reason }) => reason ?? ""))].map((reason) => {
    const subjects = refused.filter((one) => (one.reason ?? "") === reason).map(subjectOf);
    return printable(`No bound on ${subjects.join(", ")}. ${reason}`.trim());
  });
}

function subjectOf({ measure, class: own }: Certificate): string {
  if (own === undefined) return MEASURES[measure];
  return `${measure === "class-error" ? "error" : MEASURES[measure]} of "${visibleSpaces(own)}"`;
}

/** Only verified premises get a tick. */
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
  const subject = certificate.class === undefined ? name : `${name} ("${visibleSpaces(certificate.class)}")`;
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

/** Formats a bound, or a dash if a premise is violated. */
function shownBound(certificate: Certificate, value = certificate.value): string {
  return certificate.holds ? boundText(certificate, value) : "–";
}

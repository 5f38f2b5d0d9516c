import { type Certificate, formatNumber, formatUpperBound } from "vouch";
import { alignedTable } from "./aligned-table.js";
import { styled, width, wrap } from "./terminal.js";

/** The best certificate in a sentence, and all of them in a table. */
export function certificateLines(certificates: readonly Certificate[], stream: NodeJS.WriteStream): string {
  if (certificates.length === 0) return "";
  const columns = Math.min(width(stream), 110);
  const rows = certificates.map(({ name, value, reason }) => [name, bound(value), reason ?? ""]);
  const headings = [{ title: "" }, { title: "", right: true }, { title: "" }];
  return `${styled(stream, "bold", wrap(certificates[0].statement, columns))}\n${alignedTable(headings, rows, columns)}\n`;
}

/** A certificate with its reference, every term and every premise. */
export function certificateInFull(certificate: Certificate, stream: NodeJS.WriteStream): string {
  const { name, value, reference, terms, premises, statement, reason } = certificate;
  const columns = Math.min(width(stream), 110);
  const termRows = Object.entries(terms).map(([term, amount]) => [term, formatNumber(amount)]);
  const premiseLines = premises.map(({ statement, holds, assumed }) =>
    wrap(`${holds ? "✓" : "✗"} ${assumed ? "assumed: " : ""}${statement}`, columns, "    "),
  );
  return [
    `${styled(stream, "bold", name)}  ${bound(value)}   (${reference})`,
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

/** Rounded up, so that what is shown is still a bound; ∞ for a certificate that says nothing. */
function bound(value: number): string {
  return value < Number.POSITIVE_INFINITY ? formatUpperBound(value) : "∞";
}

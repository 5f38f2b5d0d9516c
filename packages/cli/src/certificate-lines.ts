import { type Certificate, formatNumber, formatUpperBound } from "vouch/train";
import { alignedTable } from "./aligned-table.js";
import { proseWidth, styled, wrap } from "./terminal.js";

/** Quotes the first certificate, and lists all but those without a guarantee if others give one. */
export function certificateLines(certificates: readonly Certificate[], stream: NodeJS.WriteStream): string {
  if (certificates.length === 0) return "";
  const columns = proseWidth(stream);
  const [{ statement }] = certificates;
  const promises = ({ holds, value }: Certificate) => holds && value < 1;
  const telling = certificates.filter((certificate) => promises(certificate) || !certificate.holds);
  const rows = (certificates.some(promises) ? telling : certificates).map((certificate) => {
    const { name, reason } = certificate;
    return [name, bound(certificate), reason === undefined || statement.includes(reason) ? "" : reason];
  });
  const headings = [{ title: "" }, { title: "", right: true }, { title: "", prose: true }];
  return `${styled(stream, "bold", wrap(statement, columns))}\n${alignedTable(headings, rows, columns)}\n`;
}

/** Only premises that were verified have a tick. */
const PREMISE_MARKS = { checked: "✓ checked:", assumed: "? assumed:", violated: "✗ violated:" };

/** Shows a certificate with its reference, every term and every premise. */
export function certificateInFull(certificate: Certificate, stream: NodeJS.WriteStream): string {
  const { name, reference, terms, premises, statement, reason } = certificate;
  const columns = proseWidth(stream);
  const termRows = Object.entries(terms).map(([term, amount]) => [term, formatNumber(amount)]);
  const premiseLines = premises.map(({ text, status }) =>
    wrap(`${PREMISE_MARKS[status]} ${text}`, columns, "    ", "      "),
  );
  const heading = wrap(`${name}  ${bound(certificate)}   (${reference})`, columns, "", "  ");
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

/** Rounds up, so that the number shown is still a bound; a dash if the premises do not hold. */
function bound({ value, holds }: Certificate): string {
  return holds ? formatUpperBound(value) : "–";
}

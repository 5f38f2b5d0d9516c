import { type Certificate, formatNumber, formatUpperBound } from "vouch";
import { alignedTable } from "./aligned-table.js";
import { styled, width, wrap } from "./terminal.js";

/** The certificate to quote in a sentence, and all in a table but those that say nothing where others do. */
export function certificateLines(certificates: readonly Certificate[], stream: NodeJS.WriteStream): string {
  if (certificates.length === 0) return "";
  const columns = Math.min(width(stream), 110);
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

/** A certificate with its reference, every term and every premise. */
export function certificateInFull(certificate: Certificate, stream: NodeJS.WriteStream): string {
  const { name, reference, terms, premises, statement, reason } = certificate;
  const columns = Math.min(width(stream), 110);
  const termRows = Object.entries(terms).map(([term, amount]) => [term, formatNumber(amount)]);
  const premiseLines = premises.map(({ statement, holds, assumed }) =>
    wrap(`${holds ? "✓" : "✗"} ${assumed ? "assumed: " : ""}${statement}`, columns, "    ", "      "),
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

/** Rounded up, so that what is shown is still a bound; a dash where the premises do not hold and it is none. */
function bound({ value, holds }: Certificate): string {
  return holds ? formatUpperBound(value) : "–";
}

import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { useState } from "preact/hooks";
import type { FormField } from "../../facts/rows/row-form.js";
import type { WrongRow, WrongRows } from "../../facts/rows/wrong-rows.js";
import { ClientOnly } from "../../page/client-only.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { breakable, Name } from "../../text/name.js";

/** Rows per page, and number of columns beside the classes. */
const ROWS_OF_PAGE = 5;
const MOST_COLUMNS = 3;
const MOST_LETTERS = 40;

interface WrongRowTableProps {
  readonly wrong: WrongRows;
  /** The columns, most important first. */
  readonly fields: readonly FormField[];
  /** Opens a row in a form. */
  readonly onTry?: ((row: WrongRow) => void) | undefined;
}

/** Lists misclassified rows page by page, most confident errors first; renders nothing without errors. */
export function WrongRowTable({ wrong, fields, onTry }: WrongRowTableProps) {
  const [first, setFirst] = useState(0);
  const { rows, total, scoring } = wrong;
  if (rows.length === 0) {
    return total > 0 ? <p>They are not among the worst errors, and only these are kept.</p> : null;
  }
  const shown = rows.slice(first, first + ROWS_OF_PAGE);
  const columns = fields.slice(0, MOST_COLUMNS);
  const headings = [
    "Actual",
    scoring === "probability" ? "Probability" : "Score",
    ...columns.map(({ name }) => name),
  ];
  return (
    <>
      <ScrollRegion label="Misclassified rows">
        <table class="as-cards wrong-rows">
          <thead>
            <tr>
              <th scope="col">Predicted</th>
              {headings.map((heading) => (
                <th key={heading} scope="col">
                  <Name text={heading} most={MOST_LETTERS} />
                </th>
              ))}
              {onTry && <TryHeading />}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.row}>
                <th scope="row" data-label="Predicted">
                  <Name text={row.predicted} most={MOST_LETTERS} />
                </th>
                <td data-label={headings[0]}>
                  <Name text={row.actual} most={MOST_LETTERS} />
                </td>
                <td data-label={headings[1]}>{formatScore(row, scoring)}</td>
                {columns.map((field) => (
                  <td key={field.name} data-label={breakable(field.name, MOST_LETTERS)}>
                    <Name text={formatCell(row, field)} most={MOST_LETTERS} />
                  </td>
                ))}
                {onTry && <TryCell row={row} onTry={onTry} />}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <div class="pager">
        <p class="note" aria-live="polite">
          {formatNumber(first + 1)} to {formatNumber(first + shown.length)} of {formatCount(total, "error")},
          most confident first
        </p>
        <ClientOnly>
          <button type="button" disabled={first === 0} onClick={() => setFirst(first - ROWS_OF_PAGE)}>
            Previous
          </button>
          <button
            type="button"
            disabled={first + ROWS_OF_PAGE >= rows.length}
            onClick={() => setFirst(first + ROWS_OF_PAGE)}
          >
            Next
          </button>
        </ClientOnly>
      </div>
    </>
  );
}

function formatScore({ score }: WrongRow, scoring: WrongRows["scoring"]): string {
  if (score === undefined) return "–";
  return scoring === "probability" ? formatPercent(score) : formatNumber(Number(score.toPrecision(3)));
}

/** Formats a cell: numbers with a few digits, a dash if it is missing. */
function formatCell({ cells }: WrongRow, { name, kind }: FormField): string {
  const text = cells[name] ?? "";
  if (text === "") return "–";
  return kind === "numeric" ? formatNumber(Number(text)) : text;
}

function TryHeading() {
  return (
    <ClientOnly>
      <th scope="col">
        <span class="unseen">Try</span>
      </th>
    </ClientOnly>
  );
}

function TryCell({ row, onTry }: { readonly row: WrongRow; readonly onTry: (row: WrongRow) => void }) {
  return (
    <ClientOnly>
      <td>
        <button type="button" aria-label={`Try row ${row.row}`} onClick={() => onTry(row)}>
          Try
        </button>
      </td>
    </ClientOnly>
  );
}

import { ScrollRegion } from "@vouch/views/internal/page/scroll-region";
import { shortened } from "@vouch/views/internal/text/text";
import type { ColumnOverview, DataOverview } from "../engine/protocol.js";

/** Maximum length of a value and a column name; the tooltip shows everything. */
const MOST_LETTERS = 40;
const MOST_LETTERS_OF_NAME = 28;

/** Maximum number of digits: enough to check the decimal mark. */
const MOST_DIGITS = 7;

/** Shows the first rows as read. */
export function RowPreview({ overview: { preview, columns, target } }: { readonly overview: DataOverview }) {
  if (preview.length === 0) return null;
  const names = columns.slice(0, preview[0].length).map(({ name }) => name);
  return (
    <>
      <h3>First rows, as they were read</h3>
      <ScrollRegion label="First rows">
        <table class="preview">
          <thead>
            <tr>
              {names.map((name, column) => (
                <th
                  key={name}
                  scope="col"
                  class={name === target ? "target" : alignment(columns[column])}
                  title={name}
                >
                  {shortened(name, MOST_LETTERS_OF_NAME)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.map((cells, row) => (
              <tr key={`row ${row}`}>
                {cells.map((cell, column) => (
                  <td key={names[column]} class={alignment(columns[column])} title={cell}>
                    {cell === undefined ? <i class="missing">missing</i> : shownValue(cell, columns[column])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

function alignment({ kind, role }: ColumnOverview): string | undefined {
  return kind === "numeric" && role !== "target" ? "number" : undefined;
}

/** Shortens a value; fractions are rounded, whole numbers keep all digits. */
function shownValue(text: string, { kind }: Pick<ColumnOverview, "kind">): string {
  const value = Number(text);
  const isFraction = kind === "numeric" && Number.isFinite(value) && !Number.isInteger(value);
  return isFraction ? String(Number(value.toPrecision(MOST_DIGITS))) : shortened(text, MOST_LETTERS);
}

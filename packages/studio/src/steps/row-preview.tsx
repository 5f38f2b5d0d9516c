import { ScrollRegion } from "@vouch/views/internal/scroll-region";
import type { ColumnOverview, DataOverview } from "../engine/protocol.js";

/** Letters of a value that are shown. */
const MOST_LETTERS = 40;

/** Shows the first rows as they were read. */
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
                <th key={name} scope="col" class={name === target ? "target" : alignment(columns[column])}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.map((cells, row) => (
              <tr key={`row ${row}`}>
                {cells.map((cell, column) => (
                  <td key={names[column]} class={alignment(columns[column])}>
                    {cell === undefined ? <i class="missing">missing</i> : shortened(cell)}
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

function shortened(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

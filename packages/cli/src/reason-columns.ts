import { type RowReasons, reasonText } from "vouch/train";
import type { OutputColumn } from "./prediction-text.js";

/** Makes the columns `reason:1` … `reason:N`, the strongest reason first; empty for columns that change nothing. */
export function reasonColumns(rows: readonly RowReasons[], count: number): OutputColumn[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `reason:${i + 1}`,
    cell: (row) => {
      const reason = rows[row].reasons.at(i);
      return reason && reason.contribution !== 0 ? reasonText(reason) : null;
    },
  }));
}

import { type RowReasons, reasonText } from "@vouch/core/internal/explain/reasons";
import type { OutputColumn } from "./predictions.js";

/**
 * Creates the columns `reason:1` … `reason:N`, strongest reason first; cells are empty for columns that change nothing.
 */
export function reasonColumns(rows: readonly RowReasons[], count: number): OutputColumn[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `reason:${i + 1}`,
    cell: (row) => {
      const reason = rows[row].reasons.at(i);
      return reason && reason.contribution !== 0 ? reasonText(reason) : null;
    },
  }));
}

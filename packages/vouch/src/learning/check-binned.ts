import { BinnedColumns } from "../data/binned-columns.js";
import { VouchError } from "../error.js";

/** Programs without types may give numbers in rows, which trees cannot ask about. */
export function checkBinned(learner: string, features: unknown): void {
  if (features instanceof BinnedColumns) return;
  throw new VouchError("data/wrong-kind", `${learner} takes binned columns, not a matrix.`, {
    hint: "Bin the matrix with binMatrix, and further rows with binLike.",
  });
}

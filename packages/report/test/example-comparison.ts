import type { ComparisonReport } from "@vouch/report";

const times = { fitSeconds: 0.0021, rowSeconds: 3e-6, size: "4 kB" };

/** A comparison with everything its report can show. */
export const comparison: ComparisonReport = {
  dataName: "flowers.csv",
  data: { rows: 120, heldOutRows: 30, columns: { numeric: 4, categorical: 0 }, missingCells: 2, classes: 3 },
  folds: 3,
  confidence: 0.95,
  learners: [
    { name: "forest", errors: [0.1, 0.2, 0.15], mean: 0.15, sd: 0.05, bound: 0.31, ...times },
    { name: "svm C=10", errors: [0.2, 0.2, 0.2], mean: 0.2, sd: 0, p: 0.4, ...times },
    { name: "stump", errors: [0.5, 0.5, 0.53], mean: 0.51, sd: 0.017, p: 0.0002, ...times },
  ],
  failed: [{ name: "deep-cascade-svm", reason: "It tells two classes apart." }],
  notices: ["1 column left out."],
  command: "vouch compare flowers.csv",
  version: "9.9.9",
};

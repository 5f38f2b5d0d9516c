import { describe, expect, it } from "vitest";
import { createLearner, kFold, type Labelled, SparseValues, Table, threadExecutor } from "vouch";
import { completeRun, Random } from "vouch/extend";
import { runTrials } from "#core/validation/run-trials.js";

/** Rows of which most cells are 0; the class depends on the first columns. */
function sparseRows(rows: number, columns: number): Labelled {
  const random = new Random(4);
  const labels = Int32Array.from({ length: rows }, () => (random.uniform() < 0.5 ? 0 : 1));
  const features = Array.from({ length: columns }, (_, j) => {
    const kept = Int32Array.from(labels.keys()).filter(
      (row) => random.uniform() < (j < 3 && labels[row] ? 0.6 : 0.1),
    );
    const values = Float64Array.from(kept, () => 1 + random.uniform());
    return {
      kind: "numeric" as const,
      name: `x${j}`,
      values: new SparseValues(rows, { rows: kept, values }),
    };
  });
  return {
    target: "y",
    classes: ["a", "b"],
    features: new Table("sparse", rows, features),
    labels,
    notices: [],
  };
}

describe("trials on threads", () => {
  it("are those on one thread, for sparse columns, too", async () => {
    const data = sparseRows(120, 12);
    const divisions = kFold(data.labels, 3, 1).folds.map((fold) => ({ data, ...fold }));
    const learners = [await createLearner("linear-svm"), await createLearner("stump")];
    const executor = threadExecutor({ threads: 2 });
    const mistakesOf = async (run: Parameters<typeof completeRun>[0]) =>
      (await runTrials(learners, divisions, "folds", completeRun(run))).map((trials) =>
        trials.map(({ mistakes }) => mistakes),
      );
    expect(await mistakesOf({ executor })).toEqual(await mistakesOf({}));
    await executor.close();
  });
});

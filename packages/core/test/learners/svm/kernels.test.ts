import { describe, expect, test } from "vitest";
import { svm } from "#core/learners/svm/svm.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { sampleOf } from "../small-samples.js";
import { noisyBlobs } from "./noisy-blobs.js";

describe("kernels", () => {
  test("gamma=scale is 1/(d·var) for rbf and mean/(d·var) for chi-square, which does not depend on units", async () => {
    const rows = [
      [0, 1],
      [2, 3],
      [4, 2],
      [0, 0],
    ];
    // Mean 1.5, variance (0 + 1 + 4 + 9 + 16 + 4 + 0 + 0)/8 − 2.25 = 2
    const model = await svm().fit(sampleOf(rows, [0, 1, 1, 0]));
    expect(model.machines.kernel).toEqual({ kind: "rbf", gamma: expect.closeTo(1 / (2 * 2), 12) });
    const chi = svm({ kernel: "chi-square" });
    const own = await chi.fit(sampleOf(rows, [0, 1, 1, 0]));
    expect(own.machines.kernel).toEqual({ kind: "chi-square", gamma: expect.closeTo(1.5 / 4, 12) });
    const times = (factor: number) => rows.map((row) => row.map((x) => factor * x));
    const scaled = await chi.fit(sampleOf(times(1000), [0, 1, 1, 0]));
    const expected = own.machines.decisionValues(Matrix.from(rows)).values;
    scaled.machines.decisionValues(Matrix.from(times(1000))).values.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 5);
    });
  });

  test("polynomial: scale 1/d unless given", async () => {
    const sample = noisyBlobs(30, 4, 2, 1);
    const kernelOf = async (options: Parameters<typeof svm>[0]) =>
      (await svm(options).fit(sample)).machines.kernel;
    expect(await kernelOf({ kernel: "polynomial" })).toEqual({ kind: "polynomial", degree: 3, scale: 1 / 4 });
    const given = { kernel: "polynomial", degree: 2, scale: 7 } as const;
    expect(await kernelOf(given)).toEqual({ kind: "polynomial", degree: 2, scale: 7 });
  });

  test("chi-square and intersection do not standardise features, and name negative ones in the error", async () => {
    for (const kernel of ["chi-square", "intersection"] as const) {
      const learner = svm({ kernel });
      expect(learner.encoding).toMatchObject({ kind: "numeric", standardise: false });
      const amounts = sampleOf(
        [
          [0, 1],
          [1, 0],
          [3, 1],
          [4, 0],
          [0, 2],
        ],
        [0, 0, 1, 1, 0],
      );
      const model = await learner.fit(amounts);
      expect([...model.predict(amounts.features)]).toEqual([0, 0, 1, 1, 0]);
      const message = `Row 2 has -1 in feature x2, but the ${kernel} kernel needs non-negative features.`;
      const negative = sampleOf(
        [
          [0, 1],
          [1, -1],
          [3, 1],
        ],
        [0, 0, 1],
      );
      await expect(learner.fit(negative)).rejects.toMatchObject({ code: "data/malformed", message });
      expect(() => model.predict(negative.features)).toThrow(expect.objectContaining({ message }));
    }
    expect(svm().encoding).toMatchObject({ kind: "numeric", standardise: true });
  });
});

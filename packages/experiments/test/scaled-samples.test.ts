import { describe, expect, it } from "vitest";
import { labelled, Table } from "vouch";
import { scaledSamples } from "#experiments/scaled-samples.js";

const table = Table.fromColumns("toy", {
  a: [0, 10, 5, 20],
  constant: [3, 3, 3, 4],
  class: ["no", "yes", "no", "yes"],
});
const all = labelled(table, "class");
const training = Int32Array.of(0, 1, 2);
const other = Int32Array.of(3);

describe("scaled samples", () => {
  it("range from −1 to 1 on the training rows, and may exceed that on others", () => {
    const [first, second] = scaledSamples(all, [training, other], "[−1, 1]");
    const column = first.featureNames.indexOf("a");
    expect(Array.from(training, (_, i) => first.features.row(i)[column])).toEqual([-1, 1, 0]);
    expect(second.features.row(0)[column]).toBe(3);
    expect([...second.labels]).toEqual([all.labels[3]]);
  });

  it("have mean 0 and deviation 1 on the training rows if standardised", () => {
    const [first, second] = scaledSamples(all, [training, other], "standardised");
    const column = first.featureNames.indexOf("a");
    const values = Array.from(training, (_, i) => first.features.row(i)[column]);
    expect(values[0] + values[1] + values[2]).toBeCloseTo(0, 12);
    expect((values[0] ** 2 + values[1] ** 2 + values[2] ** 2) / 3).toBeCloseTo(1, 12);
    expect(second.features.row(0)[column]).toBeCloseTo(15 / Math.sqrt(50 / 3), 12);
  });

  it("are 0 in a feature that is constant in the training rows", () => {
    for (const scaling of ["standardised", "[−1, 1]"] as const) {
      const [first] = scaledSamples(all, [training, other], scaling);
      const column = first.featureNames.indexOf("constant");
      for (let i = 0; column >= 0 && i < 3; i++) expect(first.features.row(i)[column]).toBe(0);
    }
  });
});

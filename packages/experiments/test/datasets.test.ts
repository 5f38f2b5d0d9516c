import { expect, it } from "vitest";
import { absenceNote, availableSets, labelledRows, loadRows } from "#experiments/datasets.js";

it("rows can be sent to a thread: all, complete ones only, or the first ones", async () => {
  const all = await loadRows("breastcancer");
  expect(all.labels).toHaveLength(699);
  const complete = await loadRows("breastcancer", { complete: true });
  expect(complete.labels).toHaveLength(683);
  for (const column of complete.columns) {
    if (column.kind === "numeric")
      expect([...column.values].every((value) => !Number.isNaN(value))).toBe(true);
  }
  const first = labelledRows(structuredClone(await loadRows("breastcancer", { most: 10 })));
  expect([...first.labels]).toEqual([...all.labels.subarray(0, 10)]);
  expect(first.features.rows).toBe(10);
});

it("scale quick has the shipped data sets, in the given order", async () => {
  const { present, absent } = await availableSets(["ionosphere", "splice", "breastcancer"], "quick");
  expect(present).toEqual(["ionosphere", "breastcancer"]);
  expect(absent).toEqual([]);
});

it("scale paper has all data sets", async () => {
  const { present, absent } = await availableSets(["splice", "ionosphere"], "paper");
  expect(present).toContain("ionosphere");
  expect([...present, ...absent].sort()).toEqual(["ionosphere", "splice"]);
});

it("absent data sets are named", () => {
  expect(absenceNote([])).toEqual([]);
  expect(absenceNote(["a", "b"])).toEqual(["Not measured: a, b."]);
});

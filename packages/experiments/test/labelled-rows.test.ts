import { expect, it } from "vitest";
import { countErrors, plainRows, receivedRows, selectRows } from "#experiments/labelled-rows.js";

it("rows of a data set can be sent, complete ones only, or the first ones", async () => {
  const all = await plainRows("breastcancer");
  expect(all.labels).toHaveLength(699);
  const complete = await plainRows("breastcancer", { complete: true });
  expect(complete.labels).toHaveLength(683);
  for (const column of complete.columns) {
    if (column.kind === "numeric") expect(column.values.every((value) => !Number.isNaN(value))).toBe(true);
  }
  const first = receivedRows(structuredClone(await plainRows("breastcancer", { most: 10 })));
  expect([...first.labels]).toEqual([...all.labels.subarray(0, 10)]);
  expect(first.features.rows).toBe(10);
  expect(selectRows(first, Int32Array.of(7, 2)).labels).toEqual(Int32Array.of(all.labels[7], all.labels[2]));
});

it("errors are counted", () => {
  expect(countErrors(Int32Array.of(0, 1, 1), Int32Array.of(0, 0, 1))).toBe(1);
});

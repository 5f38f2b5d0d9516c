import { describe, expect, it } from "vitest";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Background } from "#core/explain/background.js";
import { partialEffects } from "#core/explain/effects.js";
import { forest } from "#core/learners/forest/forest.js";
import type { DateForm } from "#core/table/date-form.js";
import { dateText, timeIn } from "#core/table/date-form.js";
import { Table } from "#core/table/table.js";
import { trainClassifier } from "#core/train/train.js";
import { fault } from "../fault.js";

const DAY = 86_400_000;
const table = Table.fromColumns(
  "t",
  {
    at: Array.from({ length: 200 }, (_, i) => (i % 9 === 0 ? null : new Date(i * DAY))),
    note: Array.from({ length: 200 }, (_, i) => `a note about ${i % 2 === 0 ? "cats" : "dogs"} and ${i}`),
  },
  { at: "date", note: "text" },
);
const encoder = fitEncoder(table, { target: "y", classes: ["a", "b"] }, { kind: "binned", maxBins: 64 });

describe("dateText", () => {
  it.each(["iso", "day-first", "month-first", "named-month"] as const)(
    "writes %s dates that read back",
    (form: DateForm) => {
      for (const time of [0, -1, 1.7e12 + 123, Date.UTC(2024, 1, 29)]) {
        expect(timeIn(form, dateText(form, time))).toBe(time);
      }
    },
  );

  it("writes eight digits without a time of day", () => {
    expect(timeIn("compact", dateText("compact", 5 * DAY + 7))).toBe(5 * DAY);
  });
});

describe("background rows with dates and prose", () => {
  const background = Background.of(table, encoder.schema, 1) ?? expect.fail("no background");

  it("have dates that the encoder reads, and no prose", () => {
    const at = background.table.column("at");
    if (at.kind !== "categorical") return expect.fail("dates are texts");
    for (const code of at.codes) if (code >= 0) expect(timeIn("iso", at.levels[code]) % DAY).toBe(0);
    expect(background.table.column("note")).toMatchObject({ codes: new Int32Array(64).fill(-1) });
    const { bins } = encoder.encode(background.table);
    expect(new Set(bins.subarray(0, 64)).size).toBeGreaterThan(20);
  });

  it("survive a file, and times that no calendar has do not", () => {
    const state = background.toState();
    expect(Background.restore(state, encoder.schema).table).toEqual(background.table);
    const { numbers } = state.tensors;
    if (!(numbers.data instanceof Float64Array)) return expect.fail("no numbers");
    const data = numbers.data.map((value, k) => (k === 5 ? 1e300 : value));
    const damaged = { ...state, tensors: { ...state.tensors, numbers: { ...numbers, data } } };
    expect(fault(() => Background.restore(damaged, encoder.schema)).code).toBe("model/corrupt");
  });
});

describe("effects of dates", () => {
  it("are in the order of time, and prose has none", async () => {
    const y = Array.from({ length: 200 }, (_, i) => (i < 100 ? "old" : "new"));
    const labelled = table.withColumn(Table.fromColumns("y", { y }).column("y"));
    const { classifier } = await trainClassifier(labelled, forest({ trees: 20 }), { target: "y" });
    const effects = await partialEffects(classifier.model, classifier.encoder, table);
    expect(effects.map(({ column }) => column)).toEqual(["at"]);
    const times = effects[0].points.map(({ value }) => Date.parse(String(value)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const old = effects[0].points.map(({ scores }) => scores[classifier.classes.indexOf("old")]);
    expect(old[0]).toBeGreaterThan(old[old.length - 1]);
  });
});

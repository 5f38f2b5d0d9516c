import { describe, expect, it } from "vitest";
import type { State } from "#core/runtime/codec/state.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import type { Schema } from "#core/table/schema.js";
import { Table } from "#core/table/table.js";
import { TrainingProfile } from "#core/table/training-profile.js";
import { refuseDamagedTensors } from "../runtime/codec/damaged-states.js";

const random = new Random(3);
const training = Table.fromRecords(
  "training",
  Array.from({ length: 1000 }, (_, i) => ({
    wide: random.normal(),
    count: i % 10 < 6 ? 0 : (i % 10) - 5,
    gap: i % 4 === 0 ? null : i,
    nothing: i < 0 ? 1 : null,
    colour: i % 50 === 0 ? null : i < 10 ? `rare ${i}` : ["red", "green"][i % 2],
    day: `2024-01-${String(1 + (i % 28)).padStart(2, "0")}`,
    note: "word ".repeat(1 + (i % 5)),
  })),
);
const schema: Schema = {
  target: "y",
  classes: ["no", "yes"],
  columns: [
    { kind: "numeric", name: "wide" },
    { kind: "categorical", name: "colour", levels: ["green", "red"] },
    { kind: "numeric", name: "count" },
    { kind: "numeric", name: "gap" },
    { kind: "numeric", name: "nothing" },
    { kind: "date", name: "day", form: "iso" },
    { kind: "text", name: "note" },
  ],
};

function made(table = training, of = schema): TrainingProfile {
  const profile = runNow(TrainingProfile.of(table, of));
  if (!profile) throw new Error("no profile");
  return profile;
}

function numbers({ columns }: TrainingProfile, j: number) {
  const column = columns[j];
  if (column.kind !== "numbers") throw new Error("not numbers");
  return column;
}

describe("the profile of training rows", () => {
  it("has range and quantiles of numbers", () => {
    const { cuts, counts, missing } = numbers(made(), 0);
    const { values } = training.columns[0] as { values: Float64Array };
    expect([missing, cuts[0], cuts[32]]).toEqual([0, Math.min(...values), Math.max(...values)]);
    const expected = new Array(67).fill(0);
    for (const value of values) {
      const below = cuts.filter((cut) => cut < value).length;
      expected[2 * below + Number(cuts[below] === value)]++;
    }
    expect([...Array.from(counts)]).toEqual(expected);
    // Cut points are quantiles: about 1000/32 cells up to each.
    for (let k = 1; k < 33; k++) expect(Math.abs(counts[2 * k] + counts[2 * k + 1] - 31)).toBeLessThan(3);
  });

  it("counts each of a few values by itself, so that ties are not intervals", () => {
    const { cuts, counts } = numbers(made(), 2);
    expect([...cuts]).toEqual([0, 1, 2, 3, 4]);
    expect([...Array.from(counts)]).toEqual([0, 600, 0, 100, 0, 100, 0, 100, 0, 100, 0]);
  });

  it("counts missing cells, levels of the schema and all others, times and lengths", () => {
    const { columns } = made();
    expect(columns.map(({ missing }) => missing)).toEqual([0, 20, 0, 250, 1000, 0, 0]);
    expect([...Array.from(columns[1].counts)]).toEqual([495, 476, 9]);
    expect([numbers(made(), 5).cuts[0], numbers(made(), 5).cuts.at(-1)]).toEqual([
      Date.UTC(2024, 0, 1),
      Date.UTC(2024, 0, 28),
    ]);
    expect([...numbers(made(), 6).cuts]).toEqual([5, 10, 15, 20, 25]);
  });

  it("is the same after it was saved", () => {
    const profile = made();
    const again = TrainingProfile.restore(profile.toState(), schema);
    expect(again.toState()).toEqual(profile.toState());
    expect(again.columns.map((column) => Array.from(column.counts))).toEqual(
      profile.columns.map((column) => Array.from(column.counts)),
    );
    expect(numbers(again, 3).bounds).toEqual(numbers(profile, 3).bounds);
  });

  it("takes about a megabyte for 10,000 columns", () => {
    const names = Array.from({ length: 10_000 }, (_, j) => `c${j}`);
    const values = Float64Array.from({ length: 50 }, (_, i) => i);
    const columns = names.map((name) => ({ kind: "numeric" as const, name }));
    const table = new Table(
      "wide",
      50,
      columns.map((column) => ({ ...column, values })),
    );
    const { tensors } = made(table, { ...schema, columns }).toState();
    const bytes = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
    expect(bytes).toBeGreaterThan(5e5);
    expect(bytes).toBeLessThan(1.5e6);
  });

  it("is refused if it is damaged", () => {
    const state = made().toState();
    const refuse = (broken: unknown) =>
      expect(() => Reflect.apply(TrainingProfile.restore, TrainingProfile, [broken, schema])).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    refuseDamagedTensors(state, refuse);
    for (const [name, index, value] of [
      ["cells", 0, 1],
      ["cells", 3, 1e9],
      ["cells", 3, -1],
      ["levels", 0, 5],
      ["missing", 0, 1],
      ["cuts", 1, 1e9],
      ["cuts", 0, Number.MAX_VALUE],
    ] as const) {
      refuse(edited(state, name, index, value));
    }
    // A time that no calendar has, in order but too late.
    const day = 33 * 4 + 27;
    refuse(edited(state, "cuts", day, 1e300, 33 * 5));
    refuse({ ...state, json: { ...Object(state.json), rows: 999 } });
    refuse({ ...state, json: { ...Object(state.json), rows: 0 } });
    refuse({ ...state, json: { ...Object(state.json), empty: 1 } });
    expect(() => TrainingProfile.restore(state, { ...schema, columns: schema.columns.slice(1) })).toThrow();
  });
});

/** Copies a state with another number at some indices of a tensor. */
function edited({ json, tensors }: State, name: string, from: number, value: number, to = from + 1) {
  const data = tensors[name].data.slice();
  for (let k = from; k < to; k++) data[k] = value;
  return { json, tensors: { ...tensors, [name]: { ...tensors[name], data } } };
}

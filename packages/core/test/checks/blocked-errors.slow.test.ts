import { describe, expect, it } from "vitest";
import { blockCandidates } from "#core/checks/block-candidates.js";
import { blockedErrors } from "#core/checks/blocked-errors.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import type { Cell } from "#core/table/column.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled, selectRows } from "#core/table/target.js";
import "#core/learners/index.js";

const COLUMNS = 5;

/** A table with a column called `by`, normal columns around the centres that `rowOf` gives, and a class. */
function rowsOf(
  rows: number,
  seed: number,
  by: string,
  rowOf: (i: number, random: Random) => { cell: Cell; centre?: readonly number[]; y: boolean },
): Labelled {
  const random = new Random(seed);
  const made = Array.from({ length: rows }, (_, i) => rowOf(i, random));
  const records = made.map(({ cell, centre, y }) => ({
    [by]: cell,
    ...Object.fromEntries(
      Array.from({ length: COLUMNS }, (_, j) => [`x${j}`, (centre?.[j] ?? 0) + 0.3 * random.normal()]),
    ),
    y: y ? "yes" : "no",
  }));
  return labelled(Table.fromRecords("t", records), "y");
}

/** Rows of patients whose measurements are alike, and half of whom are ill. */
function patients(count: number, each: number, seed: number, by = "patient"): Labelled {
  const random = new Random(seed);
  const centres = Array.from({ length: count }, () => Array.from({ length: COLUMNS }, () => random.normal()));
  return rowsOf(count * each, seed, by, (i) => {
    const patient = i % count;
    return { cell: `P${patient}`, centre: centres[patient], y: patient % 2 === 0 };
  });
}

const day = (i: number) => new Date(Date.UTC(2018, 0, 1) + i * 86_400_000).toISOString().slice(0, 10);

/** A class and features that follow a random walk, one row a day. */
function walk(rows: number, seed: number, keep: number): Labelled {
  const random = new Random(seed);
  const at = new Float64Array(COLUMNS + 1);
  return rowsOf(rows, seed, "date", (i) => {
    at.forEach((value, j) => {
      at[j] = keep * value + random.normal();
    });
    return { cell: day(i), centre: Array.from(at.slice(1)), y: at[0] > 0 };
  });
}

const found = async (data: Labelled) => blockedErrors(data, completeRun({}));
const named = async (data: Labelled) => (await found(data)).map(({ column }) => column);

describe("blockedErrors", () => {
  it.each([
    [20, 10],
    [40, 25],
    [200, 10],
  ])("names the column of %d patients with %d rows each", async (count, each) => {
    for (let seed = 0; seed < 2; seed++) {
      const [error, ...others] = await found(patients(count, each, seed));
      expect(others).toEqual([]);
      expect(error).toMatchObject({ column: "patient", kind: "group" });
      expect(error.random).toBeLessThan(0.3);
      expect(error.blocked).toBeGreaterThan(error.random + 0.1);
      expect(error.p).toBeLessThan(1e-6);
    }
  });

  it("names a column without a telling name, and one that was set aside", async () => {
    const data = patients(40, 25, 1, "p");
    expect(await named(data)).toEqual(["p"]);
    const aside = new Table("t", data.features.rows, [data.features.column("p")]);
    expect(await named({ ...data, features: data.features.without(["p"]), aside })).toEqual(["p"]);
  });

  it("names dates of a random walk", async () => {
    for (const keep of [0.99, 0.95]) {
      const [error] = await found(walk(1000, 2, keep));
      expect(error).toMatchObject({ column: "date", kind: "time" });
      expect(error.blocked).toBeGreaterThan(1.5 * error.random);
    }
  });

  it("says nothing about columns that do not matter, or matter as features do", async () => {
    const rates = Array.from({ length: 30 }, (_, i) => (i * 7) % 10);
    const clean: [string, Parameters<typeof rowsOf>[3]][] = [
      ["customer_id", (_, random) => ({ cell: `c${random.integer(60)}`, y: random.uniform() < 0.3 })],
      ["date", (_, random) => ({ cell: day(random.integer(700)), y: random.uniform() < 0.5 })],
      [
        "country",
        (_, random) => {
          const country = random.integer(30);
          return { cell: `land ${country}`, y: 10 * random.uniform() < rates[country] };
        },
      ],
      [
        "date",
        (_, random) => {
          const time = random.integer(4 * 365);
          return { cell: day(time), y: Math.sin((2 * Math.PI * time) / 365) > random.normal() };
        },
      ],
    ];
    for (const [by, rowOf] of clean) {
      for (let seed = 0; seed < 2; seed++) {
        const data = rowsOf(500, seed, by, rowOf);
        expect(blockCandidates(data).map(({ column }) => column)).toEqual([by]);
        expect(await found(data)).toEqual([]);
      }
    }
  });

  it("says nothing if the user named the group", async () => {
    const data = patients(40, 25, 1);
    const groups = Int32Array.from(data.labels, (_, i) => i % 40);
    expect(await found({ ...data, groups })).toEqual([]);
  });

  it("gives the same errors in every run", async () => {
    const data = patients(20, 10, 3);
    expect(await blockedErrors(data, completeRun({ seed: 1 }))).toEqual(
      await blockedErrors(data, completeRun({ seed: 2 })),
    );
  });
});

describe("blockCandidates", () => {
  const ROWS = 240;
  const column = (cellOf: (i: number) => Cell) => Array.from({ length: ROWS }, (_, i) => cellOf(i));
  const names = (columns: Readonly<Record<string, readonly Cell[]>>) =>
    blockCandidates({ features: Table.fromColumns("t", columns).withContents() }).map((own) => own.column);

  it("are owners of rows, dates, and columns of many values, in this order", () => {
    expect(
      names({
        city: column((i) => `city ${i % 30}`),
        street: column((i) => `street ${i % 60}`),
        seen: column((i) => day(i)),
        customerId: column((i) => i % 8),
        code: column((i) => i % 40),
      }),
    ).toEqual(["customerId", "seen", "street", "code"]);
  });

  it("are not quantities, prose, names of single rows, or few values", () => {
    expect(
      names({
        age: column((i) => 20 + Math.floor((i * i) / 1200)),
        size: column((i) => (i % 40) / 8),
        family_size: column((i) => i % 7),
        row_id: column((i) => `r${i}`),
        colour: column((i) => ["red", "blue", "green"][i % 3]),
        counts: column((i) => (i % 5 ? 0 : i % 60)),
        remark: column((i) => `the ${i % 200}th note about this and that`),
      }),
    ).toEqual([]);
  });

  it("cut dates into stretches that keep equal dates together", () => {
    const seen = column((i) => day(Math.floor(i / 7)));
    const features = Table.fromColumns("t", { seen }).withContents();
    const [{ blocks }] = blockCandidates({ features });
    expect(Math.max(...blocks)).toBe(19);
    for (let i = 1; i < ROWS; i++) {
      expect(blocks[i]).toBeGreaterThanOrEqual(blocks[i - 1]);
      if (seen[i] === seen[i - 1]) expect(blocks[i]).toBe(blocks[i - 1]);
    }
  });
});

describe("columns that are set aside", () => {
  it("follow the rows with a label, and those that are selected", () => {
    const table = Table.fromColumns("t", { x: [1, 2, 3, 4], y: ["a", null, "b", "a"] });
    const aside = Table.fromColumns("t", { id: ["p", "q", "r", "s"] });
    const data = labelled(table, "y", {}, aside);
    const texts = ({ aside }: Labelled) => {
      const own = aside?.column("id");
      return own?.kind === "categorical" ? Array.from(own.codes, (code) => own.levels[code]) : [];
    };
    expect(texts(data)).toEqual(["p", "r", "s"]);
    expect(texts(selectRows(data, Int32Array.of(2, 0)))).toEqual(["s", "p"]);
    expect(() => labelled(table, "y", {}, Table.fromColumns("t", { id: ["p"] }))).toThrow(/row/);
  });
});

import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { type NearCopies, nearCopies } from "#core/table/near-copies.js";
import { rowHashes } from "#core/table/row-hashes.js";
import { Table } from "#core/table/table.js";
import { schemaOf } from "./schema-of.js";

const range = (length: number) => Array.from({ length }, (_, i) => i);
const numbers = (length: number, draw: (i: number) => number) =>
  Float64Array.from({ length }, (_, i) => draw(i));
const columns = (count: number, column: (j: number) => Float64Array | string[]) =>
  Object.fromEntries(range(count).map((j) => [`x${j}`, column(j)]));

interface Rows {
  readonly features: Table;
  readonly labels: Int32Array;
}

interface Split {
  readonly found: NearCopies | undefined;
  /** The rows of each part. */
  readonly training: readonly number[];
  readonly heldOut: readonly number[];
}

/** Looks for near copies across a random split. */
function search({ features, labels }: Rows, seed = 1): Split {
  const schema = schemaOf(features, { target: "y", classes: ["no", "yes"] });
  const order = new Random(seed).fork(7).shuffle(range(features.rows));
  const cut = Math.round(0.8 * features.rows);
  const [training, heldOut] = [order.slice(0, cut), order.slice(cut)];
  const [known, others] = [training, heldOut].map((rows) => {
    const own = features.select(rows);
    return {
      features: own,
      labels: Int32Array.from(rows, (row) => labels[row]),
      hashes: rowHashes({ features: own }, schema),
    };
  });
  return { found: runNow(nearCopies(known, others, schema)), training, heldOut };
}

/** Cases with noise as their class, each copied; `change` makes a value of a copy from that of the case. */
function copies(
  cases: number,
  times: number,
  width: number,
  seed: number,
  change: (value: number, column: number, copy: number, random: Random) => number,
): Rows {
  const random = new Random(seed);
  const classes = range(cases).map(() => random.integer(2));
  const original = range(width).map(() => numbers(cases, () => random.normal()));
  const rows = cases * times;
  return {
    features: Table.fromColumns(
      "copies",
      columns(width, (j) =>
        numbers(rows, (i) => change(original[j][i % cases], j, Math.floor(i / cases), random)),
      ),
    ),
    labels: Int32Array.from({ length: rows }, (_, i) => classes[i % cases]),
  };
}

const sum = (flags: Uint8Array) => flags.reduce((total, one) => total + one, 0);

describe("copies with one changed column", () => {
  it.each([
    [150, 2, 2],
    [150, 2, 5],
    [60, 5, 30],
  ])("of %d rows %d times, with %d columns, are found by name", (cases, times, width) => {
    const rows = copies(cases, times, width, 1, (value, j, copy, random) =>
      j === 1 && copy > 0 ? random.normal() : value,
    );
    const { found, training, heldOut } = search(rows);
    expect(found?.column).toBe("x1");
    const known = new Set(training.map((row) => row % cases));
    const of = heldOut.map((row) => row % cases);
    expect([...(found?.rows.repeated ?? [])]).toEqual(of.map((row) => Number(known.has(row))));
    expect([...(found?.rows.firstOfKind ?? [])]).toEqual(of.map((row, i) => Number(of.indexOf(row) === i)));
    expect(found?.rows.repeatedInTraining).toBe(training.length - known.size);
  });

  it("are found among categories", () => {
    const random = new Random(1);
    const column = range(12).map(() => range(200).map(() => `level ${random.integer(6)}`));
    const cells = columns(12, (j) =>
      range(400).map((i) => (j === 3 && i >= 200 ? "other" : column[j][i % 200])),
    );
    const classes = range(200).map(() => random.integer(2));
    const labels = Int32Array.from({ length: 400 }, (_, i) => classes[i % 200]);
    expect(search({ features: Table.fromColumns("t", cells), labels }).found?.column).toBe("x3");
  });
});

describe("copies with changed numbers", () => {
  it.each([
    [300, 2, 5, 1e-6],
    [150, 2, 30, 0.05],
    [60, 5, 5, 0.01],
    [30, 10, 2, 1e-3],
    [400, 5, 2, 1e-3],
    [200, 10, 5, 0.05],
  ])("of %d rows %d times, with %d columns and noise of %d deviations", (cases, times, width, noise) => {
    for (const seed of [1, 2]) {
      const rows = copies(
        cases,
        times,
        width,
        seed,
        (value, _, __, random) => value + noise * random.normal(),
      );
      const { found, training, heldOut } = search(rows, seed);
      expect(found).toBeDefined();
      expect(found?.column).toBeUndefined();
      if (!found) continue;
      const known = new Set(training.map((row) => row % cases));
      const of = heldOut.map((row) => row % cases);
      const near = of.filter((row) => known.has(row)).length;
      const missed = of.filter((row, i) => known.has(row) && found.rows.repeated[i] === 0).length;
      expect(missed).toBeLessThan(0.1 * near);
      expect(sum(found.rows.repeated) - near).toBeLessThan(0.1 * of.length);
      const kinds = new Set(of).size;
      expect(Math.abs(sum(found.rows.firstOfKind) - kinds)).toBeLessThan(0.1 * of.length);
      expect(Math.abs(found.rows.repeatedInTraining / (training.length - known.size) - 1)).toBeLessThan(0.1);
    }
  });

  it("are found if a tenth of the rows have one, whose categories are the same", () => {
    const random = new Random(3);
    const [x, y, z] = range(3).map(() => numbers(2000, () => random.normal()));
    const kinds = range(2000).map(() => "abc"[random.integer(3)]);
    const classes = range(2000).map(() => random.integer(2));
    const row = (i: number) => (i < 2000 ? i : i - 2000);
    const noise = (i: number) => (i < 2000 ? 0 : 1e-4 * random.normal());
    const rows = {
      features: Table.fromColumns("t", {
        x: numbers(2200, (i) => x[row(i)] + noise(i)),
        y: numbers(2200, (i) => y[row(i)] + noise(i)),
        z: numbers(2200, (i) => z[row(i)] + noise(i)),
        kind: range(2200).map((i) => kinds[row(i)]),
      }),
      labels: Int32Array.from({ length: 2200 }, (_, i) => classes[row(i)]),
    };
    const { found, heldOut, training } = search(rows);
    const known = new Set(training.map(row));
    expect(found && [...found.rows.repeated]).toEqual(heldOut.map((i) => Number(known.has(row(i)))));
  });
});

/** Tables of independent rows in which values are close, equal or of few dimensions by their nature. */
const clean: [string, (rows: number, random: Random) => Record<string, Float64Array | string[]>][] = [
  ["one column", (n, random) => ({ x: numbers(n, () => random.normal()) })],
  ["five normal columns", (n, random) => columns(5, () => numbers(n, () => random.normal()))],
  ["heavy tails", (n, random) => columns(3, () => numbers(n, () => random.normal() / random.normal()))],
  [
    "narrow clusters",
    (n, random) => {
      const centres = range(20).map(() => range(4).map(() => random.normal()));
      const own = range(n).map(() => centres[random.integer(20)]);
      return columns(4, (j) => numbers(n, (i) => own[i][j] + 0.01 * random.normal()));
    },
  ],
  [
    "a noisy curve",
    (n, random) => {
      const t = numbers(n, () => random.uniform());
      return columns(5, (j) => numbers(n, (i) => Math.sin(3 * (j + 1) * t[i]) + 0.001 * random.normal()));
    },
  ],
  ["one decimal", (n, random) => columns(4, () => numbers(n, () => Math.round(10 * random.normal()) / 10))],
  [
    "two decimals",
    (n, random) => columns(3, () => numbers(n, () => Math.round(100 * random.normal()) / 100)),
  ],
  ["whole numbers", (n, random) => columns(2, () => numbers(n, () => Math.round(300 * random.normal())))],
  [
    "mostly zeros",
    (n, random) => columns(6, () => numbers(n, () => (random.uniform() < 0.6 ? 0 : random.normal()))),
  ],
  [
    "missing values",
    (n, random) =>
      columns(4, () => numbers(n, () => (random.uniform() < 0.1 ? Number.NaN : random.normal()))),
  ],
  ["answers from 1 to 5", (n, random) => columns(12, () => numbers(n, () => 1 + random.integer(5)))],
  [
    "categories and a number",
    (n, random) => ({
      ...columns(4, () => range(n).map(() => "abcd"[random.integer(4)])),
      y: numbers(n, () => random.normal()),
    }),
  ],
  [
    "categories and a serial number",
    (n, random) => ({
      ...columns(4, () => range(n).map(() => "abcd"[random.integer(4)])),
      id: numbers(n, (i) => i),
    }),
  ],
  [
    "200 places",
    (n, random) => {
      const places = range(200).map(() => [random.uniform(), random.uniform()]);
      const own = range(n).map(() => places[Math.floor(200 * random.uniform() ** 2)]);
      return {
        lat: numbers(n, (i) => own[i][0]),
        lon: numbers(n, (i) => own[i][1]),
        v: numbers(n, () => random.normal()),
      };
    },
  ],
];

describe("independent rows", () => {
  it.each(clean)("have no near copies: %s", (_, draw) => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = new Random(seed);
      const rows = seed % 2 === 0 ? 300 : 1000;
      const features = Table.fromColumns("t", draw(rows, random));
      const [first] = features.columns;
      const high = first.kind === "numeric" ? Array.from(first.values, (value) => value > 0.3) : [];
      const labels = Int32Array.from({ length: rows }, (_, i) =>
        random.uniform() < (seed > 2 ? 0.05 : 1) ? random.integer(2) : Number(high[i]),
      );
      expect(search({ features, labels }, seed).found).toBeUndefined();
    }
  });

  it("have none either if rows are repeated exactly, which others look for", () => {
    const rows = copies(300, 3, 4, 1, (value) => value);
    expect(search(rows).found).toBeUndefined();
  });

  it("have none without held-out rows or without rows", () => {
    const { features, labels } = copies(100, 1, 3, 1, (value) => value);
    const schema = schemaOf(features, { target: "y", classes: ["no", "yes"] });
    const none = { features: features.select([]), labels: new Int32Array(0), hashes: new Float64Array(0) };
    const all = { features, labels, hashes: rowHashes({ features }, schema) };
    expect(runNow(nearCopies(all, none, schema))).toBeUndefined();
    expect(runNow(nearCopies(none, none, schema))).toBeUndefined();
  });
});

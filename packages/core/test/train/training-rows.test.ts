import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { Fingerprint, trainingRowsAmong } from "#core/table/fingerprint.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled, selectRows } from "#core/table/target.js";
import { schemaOf } from "../table/schema-of.js";

/** Rows of a few coarse columns: half of 1000 rows have an equal. */
function coarseRows(count: number, seed: number): Labelled {
  const random = new Random(seed);
  const column = () => Array.from({ length: count }, () => Math.floor(10 * random.uniform() ** 3));
  const table = Table.fromColumns("t", { a: column(), b: column(), c: column(), y: column() });
  return labelled(table, "y");
}

/** Two parts of the rows, at random. */
function halves(rows: Labelled, seed: number): { train: Int32Array; rest: Int32Array } {
  const order = new Random(seed).shuffle(Int32Array.from(rows.labels.keys()));
  return { train: order.slice(0, order.length / 2), rest: order.slice(order.length / 2) };
}

describe("trainingRowsAmong", () => {
  const rows = coarseRows(1000, 1);
  const schema = schemaOf(rows.features, rows);
  const check = (train: Int32Array, others: Int32Array) =>
    trainingRowsAmong(Fingerprint.of(selectRows(rows, train), schema), selectRows(rows, others), schema);

  it("does not take fresh rows for training rows because they repeat some", () => {
    let repeated = 0;
    let alarms = 0;
    for (let seed = 0; seed < 300; seed++) {
      const { train, rest } = halves(rows, seed);
      for (const others of [rest, rest.slice(0, 100)]) if (check(train, others)) alarms++;
      repeated += Fingerprint.of(selectRows(rows, train), schema).overlap(
        selectRows(rows, rest),
        schema,
      ).share;
    }
    expect(repeated / 300).toBeGreaterThan(0.3);
    // Of 600 checks 0.6 may fail on average, and more than four with probability 0.0004.
    expect(alarms).toBeLessThanOrEqual(4);
  });

  it.each([1, 0.5, 0.3])("finds training rows that are a fraction of %d of all rows", (share) => {
    for (let seed = 0; seed < 20; seed++) {
      const { train, rest } = halves(rows, seed);
      const mixed = Int32Array.from(rest, (row, i) => (i < share * rest.length ? train[i] : row));
      expect(check(train, mixed)).toMatch(/^About \d+% of the rows equal rows that the model was trained on/);
    }
  });

  it("finds a few training rows in a small file", () => {
    const { train } = halves(rows, 0);
    expect(check(train, train.slice(0, 20))).toBeDefined();
  });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { fitShardEncoder } from "#core/encode/fit-shard-encoder.js";
import { Random } from "#core/runtime/maths/random.js";
import { memoryExchange } from "#core/runtime/shards/exchange.js";
import { ShardGroup } from "#core/runtime/shards/shard-group.js";
import { Table } from "#core/table/table.js";

const target = { target: "class", classes: ["no", "yes"] };

const textOf = (encoder: { toState(): { json: unknown; tensors: object } }) =>
  JSON.stringify(encoder.toState(), (_, value) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")
      : value,
  );

/** Fits an encoder on shards that end at the given rows. */
async function fitOnShards(
  table: Table,
  ends: readonly number[],
  maxBins: number,
  direct?: boolean,
): Promise<string[]> {
  const exchange = memoryExchange();
  return Promise.all(
    ends.map(async (end, s) => {
      const group = new ShardGroup(exchange, s, ends.length, direct === undefined ? {} : { direct });
      const shard = table.slice(s === 0 ? 0 : ends[s - 1], end);
      return textOf(await fitShardEncoder(shard, target, { kind: "binned", maxBins }, group));
    }),
  );
}

const integers = fc.integer({ min: -20, max: 20 });
const wide = fc.integer({ min: -100_000, max: 100_000 });
const numbers = [
  integers,
  wide,
  fc.constantFrom(0.5, -0, 0, 1e300, 3),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
];

/** A row: numbers of several kinds, some missing, and texts. */
const row = fc.tuple(
  ...numbers.map((value) =>
    fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(Number.NaN) }),
  ),
  fc.constantFrom("a", "b", "10", "9", null),
  fc.string({ minLength: 1, maxLength: 2 }),
);

it("an encoder that is fitted on shards is that of one machine, however rows are divided", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 20, maxLength: 80 }),
      fc.array(fc.nat(80), { maxLength: 6 }),
      fc.integer({ min: 2, max: 9 }),
      fc.boolean(),
      async (rows, cuts, maxBins, direct) => {
        const names = ["small", "wide", "few", "double", "category", "text"];
        const columns = names.map((name, j) => [name, rows.map((cells) => cells[j])] as const);
        const table = Table.fromColumns("rows", Object.fromEntries(columns));
        const ends = [...cuts.map((cut) => Math.min(cut, rows.length)).sort((a, b) => a - b), rows.length];
        const expected = textOf(fitEncoder(table, target, { kind: "binned", maxBins }));
        expect(new Set(await fitOnShards(table, ends, maxBins, direct))).toEqual(new Set([expected]));
      },
    ),
    { numRuns: 60 },
  );
});

it("quantiles of more than 200,000 rows are those of the same sample", async () => {
  const random = new Random(3);
  const rows = 230_001;
  const normal = Float64Array.from({ length: rows }, (_, i) =>
    i % 7 === 0 ? Number.NaN : random.normal() + i / rows,
  );
  const count = Float64Array.from({ length: rows }, () => Math.floor(-3 * Math.log(random.uniform())));
  const table = Table.fromColumns("rows", { normal, count, single: Float32Array.from(normal) });
  const expected = textOf(fitEncoder(table, target, { kind: "binned", maxBins: 255 }));
  for (const ends of [[rows], [1, 100_000, 100_000, 180_000, rows]]) {
    expect(new Set(await fitOnShards(table, ends, 255))).toEqual(new Set([expected]));
  }
});

it("a column must be of one kind on all shards", async () => {
  const exchange = memoryExchange();
  const shards = [Table.fromColumns("rows", { x: [1, 2] }), Table.fromColumns("rows", { x: ["a", "b"] })];
  const fits = shards.map((table, s) =>
    fitShardEncoder(table, target, { kind: "binned", maxBins: 255 }, new ShardGroup(exchange, s, 2)),
  );
  await expect(Promise.all(fits)).rejects.toThrow('"x" is numeric on one of them only');
});

it("an infinite cell is an error", async () => {
  const table = Table.fromColumns("rows", { x: Float64Array.of(1, Number.POSITIVE_INFINITY) });
  await expect(fitOnShards(table, [2], 255)).rejects.toMatchObject({ code: "data/not-finite" });
});

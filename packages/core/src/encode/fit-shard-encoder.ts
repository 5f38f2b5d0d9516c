import { framedParts, frameParts, malformed, type ShardGroup } from "../runtime/shards/shard-group.js";
import { VouchError } from "../runtime/vouch-error.js";
import {
  type CategoricalColumn,
  denseValues,
  type NumericColumn,
  type NumericValues,
} from "../table/column.js";
import { countLevels, type LevelCounts } from "../table/levels.js";
import { inNaturalOrder } from "../table/number-text.js";
import type { Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { type CheckedRange, notFinite, rangeOfCells } from "../table/value-blocks.js";
import { BinnedEncoder, type CountedColumn } from "./binned-encoder.js";
import {
  cutsOfDistinct,
  cutsOfFew,
  distinctOf,
  fewValues,
  forEachSampled,
  isCountedRange,
} from "./cut-points.js";
import type { BinnedEncoding } from "./encoder.js";

/**
 * Fits a binned encoder to rows that several shards hold, in the order of the shards: every shard gets the encoder that `BinnedEncoder.fit` would
 * find on one machine with all rows. Counts and sets of values are the same however rows are divided. Quantiles of long columns come from a
 * sample of the rows with fixed numbers, so that every shard knows which of its rows are in it.
 *
 * @param features the rows of this shard; all shards have the same columns
 */
export async function fitShardEncoder(
  features: Table,
  target: Target,
  encoding: BinnedEncoding,
  group: ShardGroup,
): Promise<BinnedEncoder> {
  const counts = await group.gatherNumbers([features.rows]);
  await checkColumns(features, group);
  const rowCounts = counts.map(([rows]) => rows);
  const numeric = features.columns.filter((column) => column.kind === "numeric");
  const categorical = features.columns.filter((column) => column.kind === "categorical");
  const cuts = await cutsOfShards(features.name, numeric, encoding.maxBins, rowCounts, group);
  const levels = await levelsOfShards(categorical, group);
  const facts = features.columns.map((column): CountedColumn => {
    const { name } = column;
    if (column.kind === "numeric") return { name, ...cuts[numeric.indexOf(column)] };
    return { name, counts: levels[categorical.indexOf(column)] };
  });
  const rows = rowCounts.reduce((sum, count) => sum + count, 0);
  return BinnedEncoder.of({ name: features.name, rows }, facts, target, encoding);
}

/** Throws unless all shards with rows have the same columns of the same kinds. */
async function checkColumns({ columns, rows, name }: Table, group: ShardGroup): Promise<void> {
  const own = columns.map((column) => ({ name: column.name, kind: column.kind }));
  const all = await gatherJson(group, own);
  const found = all.findIndex((_, shard) => JSON.stringify(all[shard]) !== JSON.stringify(own));
  if (found < 0) return;
  const other = all[found];
  const column = Array.isArray(other)
    ? own.find((each, j) => JSON.stringify(other[j]) !== JSON.stringify(each))
    : undefined;
  throw new VouchError(
    "data/wrong-kind",
    `Shards ${group.shard} and ${found} of ${name} have different columns${column ? `: "${column.name}" is ${column.kind} on one of them only` : ""}.`,
    {
      hint:
        rows === 0
          ? "Give an empty shard the columns of the others."
          : "Declare the column numeric or categorical.",
    },
  );
}

async function gatherJson(group: ShardGroup, own: unknown): Promise<unknown[]> {
  const all = await group.gather(new TextEncoder().encode(JSON.stringify(own)));
  return all.map((bytes, shard) => {
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      throw malformed(shard);
    }
  });
}

/** What a shard knows of a column of numbers before it knows the range of all of them. */
interface NumberFacts {
  readonly range: CheckedRange;
  readonly areIntegers: boolean;
  /** Distinct values, ascending; undefined if there are more than bins. */
  readonly few: Float64Array | undefined;
}

/** What `numberFacts` writes before the values: min, max, missing cells, whether all are integers, and whether values follow. */
const FACTS = 5;

function factsOfNumbers(values: NumericValues, maxBins: number, range: CheckedRange): NumberFacts {
  let areIntegers = true;
  for (let i = 0; i < values.length && areIntegers; i++) {
    areIntegers = values[i] === Math.floor(values[i]) || Number.isNaN(values[i]);
  }
  return { range, areIntegers, few: fewValues(values, maxBins) };
}

function packedFacts({ range: { min, max, missing }, areIntegers, few }: NumberFacts): Uint8Array {
  const numbers = [min, max, missing, areIntegers ? 1 : 0, few ? 1 : 0, ...(few ?? [])];
  return new Uint8Array(Float64Array.from(numbers).buffer);
}

/** Joins what all shards know of a column. */
function joinedFacts(parts: readonly Float64Array[], maxBins: number): NumberFacts {
  const few = new Set(parts.flatMap((facts) => [...facts.subarray(FACTS)]));
  const areFew = parts.every((facts) => facts[4] === 1) && few.size <= maxBins;
  return {
    range: {
      min: Math.min(...parts.map(([min]) => min)),
      max: Math.max(...parts.map(([, max]) => max)),
      missing: parts.reduce((sum, [, , missing]) => sum + missing, 0),
    },
    areIntegers: parts.every((facts) => facts[3] === 1),
    few: areFew ? Float64Array.from(few).sort() : undefined,
  };
}

/** Finds the cuts of columns of numbers. Each shard finds those of some columns, for all. */
async function cutsOfShards(
  table: string,
  columns: readonly NumericColumn[],
  maxBins: number,
  rowCounts: readonly number[],
  group: ShardGroup,
): Promise<{ readonly range: CheckedRange; readonly cuts: Float64Array }[]> {
  const cells = columns.map(({ values }) => denseValues(values));
  const own = cells.map((values, j) => {
    const range = rangeOfCells(values);
    if (range.infinite !== undefined) throw notFinite(table, columns[j], range.infinite);
    return packedFacts(factsOfNumbers(values, maxBins, range));
  });
  const parts = (await group.gather(frameParts(own))).map((bytes) =>
    framedParts(bytes, columns.length).map(numbersIn),
  );
  const facts = columns.map((_, j) =>
    joinedFacts(
      parts.map((part) => part[j]),
      maxBins,
    ),
  );
  const samples = await collectSamples(cells, facts, rowCounts, group);
  const found = facts.map((fact, j) =>
    isOwn(j, group) ? cutsFrom(fact, samples[j], maxBins) : new Float64Array(0),
  );
  const all = await group.gather(frameParts(found.map((cuts) => new Uint8Array(cuts.slice().buffer))));
  const cuts = all.map((bytes) => framedParts(bytes, columns.length).map(numbersIn));
  return facts.map(({ range }, j) => ({ range, cuts: cuts[ownerOf(j, group)][j] }));
}

function numbersIn(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice().buffer);
}

function ownerOf(column: number, { shards }: ShardGroup): number {
  return column % shards;
}

function isOwn(column: number, group: ShardGroup): boolean {
  return ownerOf(column, group) === group.shard;
}

/** Whether the values of a column are sent to its owner: counted, or a sample of them. */
function needsValues({ range: { min, max }, few, areIntegers }: NumberFacts): boolean {
  if (!(min < max)) return false;
  return isCounted({ range: { min, max, missing: 0 }, few, areIntegers }) || !few;
}

function isCounted({ range, areIntegers }: NumberFacts): boolean {
  return areIntegers && isCountedRange(range);
}

/** Distinct values and their counts, as a list of pairs; of a sample, values may repeat. */
type ValueCounts = Map<number, number>;

/** Sends the values of each column, or a sample of them, to the shard that owns the column. */
async function collectSamples(
  cells: readonly NumericValues[],
  facts: readonly NumberFacts[],
  rowCounts: readonly number[],
  group: ShardGroup,
): Promise<ValueCounts[]> {
  const first = rowCounts.slice(0, group.shard).reduce((sum, count) => sum + count, 0);
  const all = rowCounts.reduce((sum, count) => sum + count, 0);
  const sampled: number[] = [];
  forEachSampled(all, (row) => {
    if (row >= first && row < first + rowCounts[group.shard]) sampled.push(row - first);
  });
  const samples = cells.map((values, j): ValueCounts => {
    const counts: ValueCounts = new Map();
    if (!needsValues(facts[j])) return counts;
    const add = (value: number) => {
      if (!Number.isNaN(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
    };
    if (isCounted(facts[j])) for (let i = 0; i < values.length; i++) add(values[i]);
    else for (const row of sampled) add(values[row]);
    return counts;
  });
  const columnsOf = (owner: number) => Array.from(cells.keys()).filter((j) => ownerOf(j, group) === owner);
  await group.reduce(
    (owner) =>
      frameParts(
        columnsOf(owner).map((j) => new Uint8Array(Float64Array.from([...samples[j]].flat()).buffer)),
      ),
    (owner, bytes) => {
      const columns = columnsOf(owner);
      for (const [i, part] of framedParts(bytes, columns.length).entries()) {
        const numbers = numbersIn(part);
        const counts = samples[columns[i]];
        for (let k = 0; k + 1 < numbers.length; k += 2) {
          counts.set(numbers[k], (counts.get(numbers[k]) ?? 0) + numbers[k + 1]);
        }
      }
    },
  );
  return samples;
}

/** Finds the cuts of a column as `cutPoints` does. */
function cutsFrom(facts: NumberFacts, sample: ValueCounts, maxBins: number): Float64Array {
  const { range, few } = facts;
  if (!(range.min < range.max)) return new Float64Array(0);
  if (few && !isCounted(facts)) return cutsOfFew(few);
  const { values } = distinctOf(Float64Array.from(sample.keys()));
  return cutsOfDistinct({ values, counts: values.map((value) => sample.get(value) ?? 0) }, maxBins);
}

/** Counts the categories of columns, on all shards. */
async function levelsOfShards(
  columns: readonly CategoricalColumn[],
  group: ShardGroup,
): Promise<LevelCounts[]> {
  const own = columns.map((column) => countLevels(column));
  const all = await group.gather(new TextEncoder().encode(JSON.stringify(own)));
  const tables = all.map((bytes, shard) => levelCountsIn(bytes, columns.length, shard));
  return columns.map((_, j) => {
    const countOf = new Map<string, number>();
    for (const table of tables) {
      const { levels, counts } = table[j];
      for (const [k, level] of levels.entries()) countOf.set(level, (countOf.get(level) ?? 0) + counts[k]);
    }
    const levels = inNaturalOrder(countOf.keys());
    return {
      levels,
      counts: levels.map((level) => countOf.get(level) ?? 0),
      missing: tables.reduce((sum, table) => sum + table[j].missing, 0),
    };
  });
}

/** Reads counts that another shard has sent. */
function levelCountsIn(bytes: Uint8Array, columns: number, shard: number): LevelCounts[] {
  const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(read) || read.length !== columns || !read.every(isLevelCounts)) throw malformed(shard);
  return read;
}

function isLevelCounts(value: unknown): value is LevelCounts {
  if (typeof value !== "object" || value === null) return false;
  if (!("levels" in value && "counts" in value && "missing" in value)) return false;
  const { levels, counts, missing } = value;
  return (
    Array.isArray(levels) &&
    Array.isArray(counts) &&
    levels.length === counts.length &&
    levels.every((level) => typeof level === "string") &&
    counts.every((count) => typeof count === "number") &&
    typeof missing === "number"
  );
}

import { MISSING_BIN } from "@vouch/core/internal/encode/binned-columns";
import type { BinnedSteps, EncodingSteps, NumericSteps } from "@vouch/core/internal/encode/encoding-steps";
import { DerivedColumns, noTexts } from "./derived-columns.js";
import {
  type BinnedColumn,
  type BinnedTensor,
  type FeatureTensor,
  type MatrixTensor,
  once,
  type SingleTensor,
} from "./features.js";
import type { Graph, Value } from "./graph.js";
import { type ColumnSource, FIRST_LEVEL_INDEX, MISSING_INDEX } from "./raw-columns.js";

/** Encodes columns like an encoder. Throws if it encodes text. */
export function encodeRows(graph: Graph, steps: EncodingSteps, source: ColumnSource): FeatureTensor {
  return steps.kind === "joint"
    ? { kind: "joint", parts: steps.parts.map((part) => encodeSingle(graph, part, source)) }
    : encodeSingle(graph, steps, source);
}

function encodeSingle(
  graph: Graph,
  steps: Exclude<EncodingSteps, { kind: "joint" }>,
  source: ColumnSource,
): SingleTensor {
  if (steps.kind === "numeric") return numericRows(graph, steps, source);
  if (steps.kind === "binned") return binnedRows(graph, steps, source);
  const text = steps.columns.find(({ kind }) => kind === "text");
  if (text || !steps.plain) throw noTexts(text?.name ?? "");
  return encodeSingle(graph, steps.plain, new DerivedColumns(graph, steps, source));
}

/** Feature columns with their positions in the matrix. */
interface Block {
  readonly values: Value;
  readonly places: readonly number[];
}

function numericRows(graph: Graph, steps: NumericSteps, source: ColumnSource): MatrixTensor {
  const { width, precision } = steps;
  const blocks = [...numberBlocks(graph, steps, source), ...levelBlocks(graph, steps, source)];
  const joined = graph.concat(blocks.map(({ values }) => values));
  const places = blocks.flatMap((block) => block.places);
  const order = new Array<number>(width);
  for (const [from, to] of places.entries()) order[to] = from;
  const sorted = order.every((from, to) => from === to) ? joined : graph.columns(joined, order);
  const values = precision === "f32" ? graph.cast(graph.cast(sorted, "float"), "double") : sorted;
  return { kind: "matrix", values, columns: width };
}

/** Encodes all numeric columns together: the numbers, then the flags of missing cells. */
function numberBlocks(graph: Graph, { columns, cells }: NumericSteps, source: ColumnSource): Block[] {
  const numeric = columns.flatMap(({ kind, name }, j) =>
    kind === "numeric" ? [{ name, cells: cells[j] }] : [],
  );
  if (numeric.length === 0) return [];
  const raw = graph.concat(numeric.map(({ name }) => source.numbers(name)));
  const numbers = numeric.flatMap(({ cells: own }, j) => own.numbers.map((each) => ({ ...each, column: j })));
  const flags = numeric.flatMap(({ cells: own }, j) => own.flags.map((each) => ({ ...each, column: j })));
  const select = (from: readonly { readonly column: number }[]) =>
    from.length === numeric.length && from.every(({ column }, k) => column === k)
      ? raw
      : graph.columns(
          raw,
          from.map(({ column }) => column),
        );
  const blocks: Block[] = [];
  if (numbers.length > 0) {
    const row = (of: (each: (typeof numbers)[number]) => number) =>
      graph.doubles(numbers.map(of), [1, numbers.length]);
    const selected = select(numbers);
    const isScaled = numbers.some(({ scale, shift, factor }) => scale !== 1 || shift !== 0 || factor !== 1);
    let values = selected;
    if (isScaled) {
      const shifted = graph.sub(
        graph.mul(
          selected,
          row(({ scale }) => scale),
        ),
        row(({ shift }) => shift),
      );
      values = graph.mul(
        shifted,
        row(({ factor }) => factor),
      );
    }
    if (numbers.some(({ limit }) => limit < Number.MAX_VALUE)) {
      const limits = row(({ limit }) => limit);
      values = graph.max(graph.min(values, limits), graph.op("Neg", [limits]));
    }
    const isMissing = graph.isNaN(selected);
    values = graph.where(
      isMissing,
      row(({ fill }) => fill),
      values,
    );
    blocks.push({ values, places: numbers.map(({ offset }) => offset) });
  }
  if (flags.length > 0) {
    const isMissing = graph.isNaN(select(flags));
    const row = (of: (each: (typeof flags)[number]) => number) =>
      graph.doubles(flags.map(of), [1, flags.length]);
    blocks.push({
      values: graph.where(
        isMissing,
        row(({ on }) => on),
        row(({ off }) => off),
      ),
      places: flags.map(({ offset }) => offset),
    });
  }
  return blocks;
}

/** Encodes each categorical column by a table with the features of each level. */
function levelBlocks(graph: Graph, { columns, cells }: NumericSteps, source: ColumnSource): Block[] {
  return columns.flatMap((column, j): Block[] => {
    if (column.kind !== "categorical") return [];
    const { flags } = cells[j];
    const indices = FIRST_LEVEL_INDEX + column.levels.length;
    const table = new Float64Array(indices * flags.length);
    for (let index = 0; index < indices; index++) {
      // The codes of missing and unknown cells are −1 and −2.
      const code = index >= FIRST_LEVEL_INDEX ? index - FIRST_LEVEL_INDEX : index === MISSING_INDEX ? -1 : -2;
      flags.forEach(({ code: own, on, off, neutral }, k) => {
        table[index * flags.length + k] = code === own ? on : code < 0 ? neutral : off;
      });
    }
    const rows = graph.reshape(source.indices(column.name, column.levels), [-1]);
    const values = graph.lookUp(graph.doubles(table, [indices, flags.length]), rows);
    return [{ values, places: flags.map(({ offset }) => offset) }];
  });
}

function binnedRows(graph: Graph, { columns, features }: BinnedSteps, source: ColumnSource): BinnedTensor {
  return {
    kind: "binned",
    columns: columns.map((column, j): BinnedColumn => {
      const feature = features[j];
      if (column.kind === "numeric") {
        const cuts = feature.kind === "numeric" ? feature.cuts : [];
        return { kind: "numeric", cuts, numbers: { values: once(() => source.numbers(column.name)) } };
      }
      const levels = feature.kind === "categorical" ? feature.levels : column.levels;
      const isGrouped = levels.length > column.levels.length;
      const bins = [isGrouped ? levels.length - 1 : MISSING_BIN, MISSING_BIN, ...column.levels.keys()];
      return {
        kind: "categorical",
        levels,
        bins: once(() => graph.lookUp(graph.floats(bins), source.indices(column.name, column.levels))),
      };
    }),
  };
}

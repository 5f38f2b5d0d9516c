import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { Random } from "#core/runtime/random.js";

/** The sizes of a sample. */
export interface Shape {
  readonly rows: number;
  readonly classes: number;
  readonly weighted?: boolean;
}

/**
 * Makes rows with numbers, flags, missing cells and categories; some bins, levels and missing cells occur in few places, so that
 * most shards have only some of them. Labels follow from some of the columns.
 */
export function rowsOf({ rows, classes, weighted = false }: Shape): Sample<BinnedColumns> {
  const random = new Random(1);
  const numeric = (name: string): BinnedFeature => ({ kind: "numeric", name, cuts: new Float64Array(0) });
  const features: BinnedFeature[] = [
    ...["a", "b", "c", "flag", "few"].map(numeric),
    { kind: "categorical", name: "colour", levels: Array.from({ length: 40 }, (_, k) => `level ${k}`) },
    numeric("constant"),
  ];
  const bins = new Uint8Array(rows * features.length);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const cells = [
      random.integer(255),
      i < rows / 2 && random.uniform() < 0.3 ? MISSING_BIN : random.integer(200),
      i > 0.9 * rows ? 100 + random.integer(100) : random.integer(60),
      random.integer(2),
      random.integer(5),
      Math.floor((38 * i) / rows) + random.integer(2),
      0,
    ];
    cells.forEach((bin, j) => {
      bins[j * rows + i] = bin;
    });
    const score = cells[0] / 60 + (cells[1] === MISSING_BIN ? 2 : cells[1] / 100) + cells[3] + (cells[5] % 3);
    labels[i] = Math.floor(score + random.uniform()) % classes;
  }
  const weights = weighted
    ? Float64Array.from({ length: rows }, () => Math.max(0, random.normal() + 1.5))
    : undefined;
  return new Sample({
    features: new BinnedColumns(rows, features, bins),
    labels,
    classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    ...(weights && { weights }),
  });
}

/** Cuts rows into contiguous shards that end where `ends` say. */
export function shardsOf(sample: Sample<BinnedColumns>, ends: readonly number[]): Sample<BinnedColumns>[] {
  return ends.map((end, s) => {
    const begin = s === 0 ? 0 : ends[s - 1];
    return sample.select(Array.from({ length: end - begin }, (_, i) => begin + i));
  });
}

/** Returns where shards of about equal size end. */
export const evenly = (rows: number, shards: number) =>
  Array.from({ length: shards }, (_, s) => Math.round((rows * (s + 1)) / shards));

/** Writes a model as text: its JSON and the bits of its tensors. */
export function stateOf(model: {
  toState(): { json: unknown; tensors: Readonly<Record<string, unknown>> };
}): string {
  const { json, tensors } = model.toState();
  return JSON.stringify([json, Object.entries(tensors)], (_, value) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")
      : value,
  );
}

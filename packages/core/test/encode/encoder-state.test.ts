import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Encoder, Encoding } from "#core/encode/encoder.js";
import { fitEncoder, restoreEncoder } from "#core/encode/fit-encoder.js";
import type { Json, State, Tensor } from "#core/runtime/codec/state.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";

const target = { target: "y", classes: ["a", "b"] };
const table = Table.fromColumns("t", {
  n: [1, 2.5, null, 1e300],
  c: ["x", "y", "z", null],
  d: ["p", "q", "p", "q"],
  k: [1, 1, 1, 1],
  z: [0, 0, 0, 7],
});
const mixed = Table.fromColumns(
  "t",
  {
    n: [1, 2.5, null, 1e300],
    c: ["x", "y", "z", null],
    at: ["2024-01-31 10:00", "2023-02-28 11:00", null, "2024-02-29"],
    note: ["a good cat", "good", null, "a cat cat"],
  },
  { at: "date", note: "text" },
);
const encodings: Encoding[] = [
  { kind: "numeric", standardise: true },
  { kind: "numeric", standardise: false, precision: "f32" },
  { kind: "numeric", standardise: "keep-zeros" },
  { kind: "binned", maxBins: 255 },
  { kind: "binned", maxBins: 2 },
];

const throughJson = (state: State): State => ({ ...state, json: JSON.parse(JSON.stringify(state.json)) });

describe("restoreEncoder", () => {
  it.each(encodings)("restores what toState wrote: %j", (encoding) => {
    const encoder = fitEncoder(table, target, encoding);
    const restored: Encoder = restoreEncoder(throughJson(encoder.toState()));
    expect(restored.encoding).toMatchObject(encoding);
    expect(restored.schema).toEqual(encoder.schema);
    expect(restored.featureNames).toEqual(encoder.featureNames);
    expect(restored.featureColumns).toEqual(encoder.featureColumns);
    expect(restored.notices).toEqual(encoder.notices);
    const fresh = Table.fromColumns("new", { n: [2, null], c: ["new", null], d: ["q", "r"], z: [0, 3] });
    for (const rows of [table, fresh]) expect(restored.encode(rows)).toEqual(encoder.encode(rows));
  });

  it.each<Encoding>([...encodings, { kind: "numeric", standardise: "keep-zeros", sparse: true }])(
    "restores an encoder of dates and text: %j",
    (encoding) => {
      const encoder = fitEncoder(mixed, target, encoding);
      const restored: Encoder = restoreEncoder(throughJson(encoder.toState()));
      expect(restored.encoding).toEqual(encoding);
      expect(restored.schema).toEqual(encoder.schema);
      expect(restored.featureNames).toEqual(encoder.featureNames);
      expect(restored.featureColumns).toEqual(encoder.featureColumns);
      expect(restored.learned).toEqual(encoder.learned);
      expect(restored.notices).toEqual(encoder.notices);
      const fresh = Table.fromColumns("new", { n: [2], c: ["new"], at: ["1969-12-31"], note: ["good 😀"] });
      for (const rows of [mixed, fresh]) expect(restored.encode(rows)).toEqual(encoder.encode(rows));
    },
  );

  const derived = fitEncoder(mixed, target, { kind: "numeric", standardise: true, sparse: true }).toState();
  const derivedBins = fitEncoder(mixed, target, { kind: "binned", maxBins: 8 }).toState();
  const numeric = fitEncoder(table, target, encodings[0]).toState();
  const binned = fitEncoder(table, target, { kind: "binned", maxBins: 255 }).toState();
  const withTensor = (state: State, name: string, data: Tensor["data"]): State => ({
    ...state,
    tensors: { ...state.tensors, [name]: { shape: [data.length], data } },
  });
  const changed = (state: State, name: string, at: number, value: number): State => {
    const data = state.tensors[name].data.slice();
    if (data instanceof BigUint64Array) return expect.fail("no such tensors here");
    data[at] = value;
    return withTensor(state, name, data);
  };
  const { cuts: _, ...withoutCuts } = binned.tensors;
  const withJson = (state: State, change: Readonly<Record<string, unknown>>): State => ({
    ...state,
    json: { ...Object(state.json), ...change },
  });
  const origins: Record<string, Json>[] = Object(derived.json).origins;
  const columns: Record<string, Json>[] = Object(derived.json).schema.columns;
  const withColumns = (changed: unknown[]) => withJson(derived, { schema: { columns: changed, ...target } });

  const damaged: [string, State][] = [
    ["no structure", { ...numeric, json: null }],
    ["no columns", { ...numeric, json: { ...Object(numeric.json), schema: { columns: [], ...target } } }],
    ["another kind", { ...numeric, json: { kind: "other" } }],
    ["the structure of the other kind", { ...numeric, json: binned.json }],
    ["an unknown column", changed(numeric, "features.column", 0, 99)],
    ["a negative column", changed(numeric, "features.column", 0, -1)],
    ["columns out of order", changed(numeric, "features.column", 0, 1)],
    [
      "a column without features",
      changed(numeric, "features.column", numeric.tensors["features.column"].data.length - 1, 1),
    ],
    ["an unknown level", changed(numeric, "features.code", 2, 77)],
    ["a level twice", changed(numeric, "features.code", 2, 1)],
    ["a number in a column of categories", changed(numeric, "features.code", 2, -3)],
    ["a scale of zero", changed(numeric, "features.scale", 0, 0)],
    ["a negative deviation", changed(numeric, "features.deviation", 0, -1)],
    ["a deviation whose inverse overflows", changed(numeric, "features.deviation", 0, 5e-324)],
    ["a deviation that is not a number", changed(numeric, "features.deviation", 0, Number.NaN)],
    ["an infinite mean", changed(numeric, "features.mean", 0, Number.POSITIVE_INFINITY)],
    ["a share above one", changed(numeric, "features.mean", 1, 1.5)],
    ["a vector that is too short", withTensor(numeric, "features.mean", Float64Array.of(1))],
    ["a vector of another type", withTensor(numeric, "features.mean", new Float32Array(6))],
    [
      "a wrong shape",
      {
        ...numeric,
        tensors: {
          ...numeric.tensors,
          "features.code": { ...numeric.tensors["features.code"], shape: [1] },
        },
      },
    ],
    ["a missing vector", { ...binned, tensors: withoutCuts }],
    ["cuts that descend", withTensor(binned, "cuts", Float64Array.of(2, 1))],
    ["cuts that are not numbers", withTensor(binned, "cuts", Float64Array.of(1, Number.NaN))],
    ["too few cuts", changed(binned, "cutCounts", 0, 3)],
    ["too many cuts", changed(binned, "cutCounts", 0, 1)],
    ["an unknown tensor", withTensor(numeric, "other", Int32Array.of(1))],
    ["a category with cuts", withTensor(binned, "cutCounts", Int32Array.of(1, 1, 0))],
    ["a negative count", changed(binned, "cutCounts", 0, -1)],
    ["an origin of no column", withJson(derived, { origins: origins.map((one) => ({ ...one, column: 9 })) })],
    [
      "an origin of another column",
      withJson(derived, { origins: origins.map((one) => ({ ...one, column: 0 })) }),
    ],
    ["too few origins", withJson(derived, { origins: origins.slice(1) })],
    [
      "an unknown part of a date",
      withJson(derived, { origins: origins.map((one) => ({ ...one, part: "age" })) }),
    ],
    ["an impossible time", withJson(derived, { origins: origins.map((one) => ({ ...one, since: 1e18 })) })],
    [
      "an unknown form of dates",
      withColumns(columns.map((one) => (one.kind === "date" ? { ...one, form: "x" } : one))),
    ],
    [
      "text where dates are",
      withColumns(columns.map((one) => (one.kind === "date" ? { kind: "text", name: "at" } : one))),
    ],
    ["a column without features", withColumns([...columns, { kind: "text", name: "more" }])],
    ["other classes", withJson(derived, { schema: { columns, target: "y", classes: ["a", "c"] } })],
    ["parts of no dates", withJson(derived, { partial: [0] })],
    ["another encoding", withJson(derived, { encoding: { kind: "binned", maxBins: 8 } })],
    ["sparse rows where none are", withJson(derived, { encoding: { kind: "numeric", standardise: true } })],
    ["an n-gram twice", withJson(derived, { texts: [{ column: 3, ngrams: ["a", "a", "a", "a"] }] })],
    ["n-grams of dates", withJson(derived, { texts: [{ ...Object(derived.json).texts[0], column: 2 }] })],
    ["a negative weight", changed(derived, "texts.1.weights", 0, -1)],
    ["a weight that is not a number", changed(derived, "texts.1.weights", 0, Number.NaN)],
    ["too few weights", withTensor(derived, "texts.1.weights", Float64Array.of(1))],
    [
      "an n-gram of bins twice",
      withJson(derivedBins, {
        origins: Object(derivedBins.json).origins.map((one: Json) =>
          Object(one).kind === "ngram" ? { ...Object(one), ngram: "a" } : one,
        ),
      }),
    ],
  ];
  it.each(damaged)("rejects %s", (_, state) => {
    expect(fault(() => restoreEncoder(state)).code).toBe("model/corrupt");
  });

  it("rejects JSON that differs in one value, or restores an encoder that works", () => {
    const paths = (json: Json, path: string[] = []): string[][] =>
      json !== null && typeof json === "object"
        ? [path, ...Object.entries(json).flatMap(([key, value]) => paths(value, [...path, key]))]
        : [path];
    const replaced = (json: Json, path: readonly string[], value: Json): Json => {
      if (path.length === 0 || json === null || typeof json !== "object") return value;
      const copy: Record<string, Json> = Object.fromEntries(Object.entries(json));
      copy[path[0]] = replaced(copy[path[0]], path.slice(1), value);
      return Array.isArray(json) ? Object.values(copy) : copy;
    };
    const states = [numeric, binned, fitEncoder(table, target, encodings[3]).toState(), derived, derivedBins];
    const values: Json[] = [
      null,
      -1,
      0,
      1,
      2,
      1.5,
      1e9,
      "",
      "n",
      "c",
      "x",
      "numeric",
      "categorical",
      true,
      [],
      {},
      [0],
      ["x"],
    ];
    let rejected = 0;
    fc.assert(
      fc.property(
        fc
          .constantFrom(...states)
          .chain((state) => fc.tuple(fc.constant(state), fc.constantFrom(...paths(state.json)))),
        fc.constantFrom(...values),
        ([state, path], value) => {
          try {
            const rows = state === derived || state === derivedBins ? mixed : table;
            restoreEncoder({ ...state, json: replaced(state.json, path, value) }).encode(rows);
          } catch (error) {
            if (!(error instanceof VouchError)) throw error;
            rejected++;
          }
        },
      ),
      { numRuns: 1000, seed: 1 },
    );
    expect(rejected).toBeGreaterThan(200);
  });
});

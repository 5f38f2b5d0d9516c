import { describe, expect, it } from "vitest";
import type { Encoding, JointEncoding, SingleEncoding } from "#core/encode/encoder.js";
import { encodeWithNotices } from "#core/encode/encoder.js";
import { fitEncoder, restoreEncoder } from "#core/encode/fit-encoder.js";
import { JointFeatures } from "#core/encode/joint-features.js";
import { featuresFrom, plainFeatures, rowRange, sharedFeatures } from "#core/encode/sample.js";
import { featuresByColumn, stackedRows, withCells } from "#core/explain/feature-groups.js";
import type { Json, State } from "#core/runtime/codec/state.js";
import { isRecord } from "#core/runtime/codec/state.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { SchemaMatch } from "#core/table/schema-match.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";

const target = { target: "y", classes: ["a", "b"] };
const table = Table.fromColumns("t", {
  k: [1, 1, 1, 1],
  n: [1, 2.5, null, 1e3],
  c: ["x", "y", "z", null],
  d: ["p", "q", "p", "q"],
});
const mixed = Table.fromColumns(
  "t",
  {
    n: [1, 2.5, null, 1e3],
    at: ["2024-01-31 10:00", "2023-02-28 11:00", null, "2024-02-29"],
    note: ["a good cat", "good", null, "a cat cat"],
  },
  { at: "date", note: "text" },
);

const numeric: SingleEncoding = { kind: "numeric", standardise: true };
const sparse: SingleEncoding = { kind: "numeric", standardise: "keep-zeros", sparse: true };
const binned: SingleEncoding = { kind: "binned", maxBins: 255 };
const keeping: SingleEncoding = { kind: "binned", maxBins: 8, constants: "keep" };
const jointOf = (...parts: SingleEncoding[]): JointEncoding => ({ kind: "joint", parts });

describe("an encoder of several encodings", () => {
  it.each([
    ["numbers and categories", table],
    ["dates and text", mixed],
  ])("makes the features of each encoding by itself: %s", (_, rows) => {
    const parts = [numeric, sparse, binned, keeping];
    const encoder = fitEncoder(rows, target, jointOf(...parts));
    const alone = parts.map((part): Encoding => part).map((part) => fitEncoder(rows, target, part));
    const features = encoder.encode(rows);
    expect(features.parts).toEqual(alone.map((own) => own.encode(rows)));
    expect(features.columns).toBe(encoder.featureNames.length);
    expect(encoder.featureNames).toEqual(alone.flatMap((own) => own.featureNames));
    expect(encoder.featureColumns.map((column) => encoder.schema.columns[column].name)).toEqual(
      alone.flatMap(({ schema, featureColumns }) =>
        featureColumns.map((column) => schema.columns[column].name),
      ),
    );
    expect(new Set(encoder.learned.words)).toEqual(new Set(alone.flatMap(({ learned }) => learned.words)));
  });

  it("uses every column that a part uses, and says once what several parts say", () => {
    const encoder = fitEncoder(table, target, jointOf(numeric, binned, keeping));
    expect(encoder.schema.columns.map(({ name }) => name)).toEqual(["k", "n", "c", "d"]);
    expect(fitEncoder(table, target, numeric).schema.columns.map(({ name }) => name)).toEqual([
      "n",
      "c",
      "d",
    ]);
    expect(encoder.notices).toEqual(['1 constant column left out: "k".']);
    const rows = Table.fromColumns("new", {
      d: ["p", "r"],
      c: ["?", "x"],
      n: [1, 2],
      k: [2, 2],
      more: [1, 2],
    });
    const notices: string[] = [];
    runNow(encodeWithNotices(encoder, rows, (notice) => notices.push(notice)));
    expect(notices).toEqual([
      'Columns "c", "d": 2 cells with a category not seen in training, such as "?" in "c".',
      '1 column not used by the model: "more".',
    ]);
    expect(fault(() => encoder.encode(table.without(["k", "d"]))).message).toContain("lacks 2 columns");
  });

  it("collects what is to be said about the parts of a long table", () => {
    const encoder = fitEncoder(table, target, jointOf(numeric, binned));
    const match = new SchemaMatch(encoder.schema);
    for (const cells of [
      ["?", "x"],
      ["!", "?"],
    ]) {
      const rows = Table.fromColumns("new", { n: [1, 2], c: cells, d: ["p", "q"] });
      runNow(encoder.encodeInSteps(rows, match));
    }
    expect(match.notices()).toEqual([
      'Column "c": 3 cells with a category not seen in training, such as "?".',
    ]);
  });

  it("groups rare categories by the part with the most levels", () => {
    const c = Array.from({ length: 60 }, (_, i) => `level ${i % 20}`);
    const rows = Table.fromColumns("t", { c, n: c.map((_, i) => i) });
    const few: SingleEncoding = { kind: "binned", maxBins: 4 };
    const { schema } = fitEncoder(rows, target, jointOf(few, numeric));
    expect(schema.columns).toEqual(fitEncoder(rows, target, numeric).schema.columns);
  });

  it.each([
    ["numbers and categories", table],
    ["dates and text", mixed],
  ])("comes back from its state: %s", (_, rows) => {
    const encoder = fitEncoder(rows, target, jointOf(numeric, sparse, keeping));
    const state = encoder.toState();
    const restored = restoreEncoder({ ...state, json: JSON.parse(JSON.stringify(state.json)) });
    expect(restored.schema).toEqual(encoder.schema);
    expect(restored.featureNames).toEqual(encoder.featureNames);
    expect(restored.featureColumns).toEqual(encoder.featureColumns);
    expect(restored.learned).toEqual(encoder.learned);
    expect(restored.notices).toEqual(encoder.notices);
    expect(restored.encode(rows)).toEqual(encoder.encode(rows));
    expect(restored.toState()).toEqual(state);
  });

  it("refuses damaged states", () => {
    const state = fitEncoder(table, target, jointOf(numeric, binned)).toState();
    const other = fitEncoder(table, { target: "y", classes: ["a", "c"] }, jointOf(numeric, binned)).toState();
    const renamed = fitEncoder(
      Table.fromColumns("t", { n: ["u", "v", "u", "w"], c: ["x", "y", "z", null], d: ["p", "q", "p", "q"] }),
      target,
      jointOf(numeric, binned),
    ).toState();
    if (!isRecord(state.json)) return expect.fail("The state is an object.");
    const { order, encoders } = state.json;
    const json = (changes: Readonly<Record<string, Json>>): State => ({
      ...state,
      json: { ...(isRecord(state.json) ? state.json : {}), ...changes },
    });
    const names = Array.isArray(order) ? [...order] : [];
    const both = Array.isArray(encoders) ? [...encoders] : [];
    const damaged: State[] = [
      json({ order: [] }),
      json({ order: names.slice(1) }),
      json({ order: names.toReversed() }),
      json({ order: [...names, "more"] }),
      json({ order: [names[0], ...names.slice(0, -1)] }),
      json({ encoders: [] }),
      json({ encoders: both.slice(1) }),
      json({ encoders: "odd" }),
      json({ further: 1 }),
      { json: state.json, tensors: {} },
      mixedParts(state, other),
      mixedParts(state, renamed),
    ];
    for (const wrong of damaged) expect(fault(() => restoreEncoder(wrong))).toBeInstanceOf(VouchError);
  });
});

/** The first part of one state and the second part of another. */
function mixedParts(first: State, second: State): State {
  const [a, b] = [first, second].map(({ json }) =>
    isRecord(json) && Array.isArray(json.encoders) ? json.encoders : [],
  );
  const [own, others] = [first, second].map(({ tensors }, k) =>
    Object.fromEntries(Object.entries(tensors).filter(([name]) => name.startsWith(`encoders.${k + 1}.`))),
  );
  return {
    json: { ...(isRecord(first.json) ? first.json : {}), encoders: [a[0], b[1]] },
    tensors: { ...own, ...others },
  };
}

describe("joint features", () => {
  const encoder = fitEncoder(table, target, jointOf(numeric, binned));
  const features = encoder.encode(table);

  it("select, slice and send the rows of all parts", () => {
    for (const rows of [[2, 0, 2], [1], []]) {
      expect(features.select(rows).parts).toEqual(features.parts.map((part) => part.select(rows)));
    }
    expect(rowRange(features, 1, 3)).toEqual(features.select([1, 2]));
    expect(rowRange(features, 0, 4)).toBe(features);
    expect(featuresFrom(structuredClone(plainFeatures(features)))).toEqual(features);
    expect(featuresFrom(sharedFeatures(features))).toEqual(features);
    expect(stackedRows(features, features)).toEqual(features.select([0, 1, 2, 3, 0, 1, 2, 3]));
    expect(fault(() => new JointFeatures([])).code).toBe("data/malformed");
    expect(fault(() => new JointFeatures([new Matrix(1, 1), new Matrix(2, 1)])).code).toBe("data/malformed");
  });

  it("exchange the cells of a column in all parts", () => {
    const others = Int32Array.of(3, 2, 1, 0);
    for (const { name, features: group } of featuresByColumn(encoder)) {
      const exchanged = withCells(features.select([0, 1, 2, 3]), group, features, others);
      const raw = table.withColumn(table.select(others).column(name));
      expect(exchanged).toEqual(encoder.encode(raw));
    }
  });
});

import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  checked,
  converted,
  type Fields,
  json,
  list,
  object,
  optional,
  readParts,
  sized,
  variant,
  writeParts,
} from "#core/runtime/codec/parts.js";
import { nonNegativeInteger, positiveInteger, realNumber } from "#core/runtime/codec/schema-numbers.js";
import { checkedJson, type Json, type State, type Tensor } from "#core/runtime/codec/state.js";
import { float32, float64, int32, matrix, records, shares } from "#core/runtime/codec/tensor-parts.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { fault } from "../../fault.js";

const fields = {
  size: positiveInteger,
  names: sized("names", z.array(z.string())),
  weights: float64(["names", "classes"], { min: 0, max: 1 }),
  singles: float32([3]),
  indices: int32(["indices"], { min: 0, below: "names" }),
  leaves: shares(["leaves", "classes"]),
  table: matrix("rows", "names"),
  layers: list(object({ name: z.string(), bias: float64(["units"]) }), { min: 1 }),
  rounds: records("rounds", { stump: { type: "int32", min: 0 }, alpha: { type: "float64" } }),
  note: optional(json(z.string())),
  curve: optional(float64(["points"])),
  kernel: variant({ linear: {}, rbf: { gamma: realNumber, scale: float64(["names"]) } }),
  even: checked(json(z.int().min(-1e15).max(1e15)), (value) =>
    value % 2 === 0 ? undefined : `${value} is odd`,
  ),
  day: converted(
    json(z.int().min(-1e15).max(1e15)),
    (date: Date) => date.getTime(),
    (time) => (time >= 0 ? new Date(time) : "it is before 1970"),
  ),
};

const values = {
  size: 2,
  names: ["a", "b"],
  weights: Float64Array.of(0, 0.25, 0.5, 1, 1, 0),
  singles: Float32Array.of(1, 2, 3),
  indices: Int32Array.of(1, 0, 1, 1),
  leaves: Float64Array.of(0.25, 0.75, 0, 1, 0, 0),
  table: Matrix.from([
    [1, 2],
    [3, 4],
    [5, 6],
  ]),
  layers: [
    { name: "first", bias: Float64Array.of(1) },
    { name: "second", bias: Float64Array.of(1, 2, 3) },
  ],
  rounds: [
    { stump: 1, alpha: 0.5 },
    { stump: 0, alpha: -2 },
  ],
  curve: Float64Array.of(3, 2, 1),
  kernel: { kind: "rbf" as const, gamma: 0.5, scale: Float64Array.of(1, 2) },
  even: 4,
  day: new Date(0),
};
const sizes = { classes: 3 };
const written = writeParts(fields, values, sizes);

const read = (state: State) => readParts("toy model", fields, state, sizes);

/** The state with other JSON fields. */
const withJson = (changes: Record<string, Json>): State => ({
  ...written,
  json: { ...Object(written.json), ...changes },
});

/** The state with one other tensor. */
const withTensor = (name: string, tensor: Partial<Tensor>): State => ({
  ...written,
  tensors: { ...written.tensors, [name]: { ...written.tensors[name], ...tensor } },
});

const without = (name: string): State => {
  const { [name]: _, ...tensors } = written.tensors;
  return { ...written, tensors };
};

describe("parts", () => {
  it("are read as they were written, through JSON", () => {
    expect(read({ ...written, json: JSON.parse(JSON.stringify(written.json)) })).toEqual(values);
  });

  it("are named by their path, and keep their shape", () => {
    const shapes = Object.entries(written.tensors).map(([name, { shape }]) => [name, shape]);
    expect(Object.fromEntries(shapes)).toMatchObject({
      weights: [2, 3],
      table: [3, 2],
      "layers.1.bias": [1],
      "layers.2.bias": [3],
      "rounds.stump": [2],
      "kernel.scale": [2],
    });
  });

  it("cannot be written if sizes do not fit, or JSON cannot hold a number", () => {
    const write = <F extends Fields>(parts: F, value: Parameters<typeof writeParts<F>>[1]) =>
      writeParts(parts, value, sizes);
    expect(() => write({ a: float64([2, "classes"]) }, { a: new Float64Array(5) })).toThrow("5 elements");
    expect(() => write({ a: realNumber }, { a: Number.NaN })).toThrow("NaN");
  });

  const damaged: [string, State, string][] = [
    ["JSON that is not an object", { ...written, json: [] }, "it is not an object"],
    ["a missing field", withJson({ size: null }), "size: its value is wrong"],
    ["a value out of range", withJson({ size: 0 }), "size: its value is wrong"],
    ["a nested value of another type", withJson({ names: ["a", 1] }), "names: 1 is wrong"],
    ["an unknown field", withJson({ other: 1 }), "it has an unknown field other"],
    ["a list of another length", withJson({ names: ["a"] }), "weights: it has shape [2,3] and not [1,3]"],
    ["an empty list of parts", withJson({ layers: [] }), "layers: it is not a list of parts"],
    [
      "an unknown variant",
      withJson({ kernel: { kind: "other" } }),
      "kernel: it is of the unknown kind other",
    ],
    ["the fields of another variant", withJson({ kernel: { kind: "linear", gamma: 1 } }), "unknown field"],
    ["a failed check", withJson({ even: 3 }), "even: 3 is odd"],
    ["a failed conversion", withJson({ day: -1 }), "day: it is before 1970"],
    ["JSON in place of a tensor", withJson({ singles: [1, 2, 3] }), "singles: it is not a tensor"],
    ["a missing tensor", without("weights"), "weights: it is missing"],
    ["a missing tensor of a record", without("rounds.alpha"), "rounds.alpha: it is missing"],
    [
      "an unknown tensor",
      withTensor("other", { shape: [1], data: new Uint8Array(1) }),
      "unknown tensor other",
    ],
    ["a tensor of another shape", withTensor("weights", { shape: [3, 2] }), "shape [3,2]"],
    ["a tensor of other axes", withTensor("weights", { shape: [6] }), "weights: it has shape [6]"],
    ["less data than the shape claims", withTensor("singles", { data: new Float32Array(1) }), "shape [3]"],
    [
      "integers in place of doubles",
      withTensor("weights", { data: new Int32Array(6) }),
      "does not hold doubles",
    ],
    ["doubles in place of integers", withTensor("indices", { data: new Float64Array(4) }), "32-bit integers"],
    ["NaN", withTensor("weights", { data: Float64Array.of(0, 0, 0, 0, 0, Number.NaN) }), "element 5 is NaN"],
    [
      "a number that is too large",
      withTensor("weights", { data: new Float64Array(6).fill(2) }),
      "element 0 is 2",
    ],
    [
      "an index that is too large",
      withTensor("indices", { data: Int32Array.of(0, 2, 0, 0) }),
      "element 1 is 2",
    ],
    ["shares that do not sum to one", withTensor("leaves", { data: new Float64Array(6) }), "it sums to 0"],
  ];
  it.each(damaged)("are rejected: %s", (_, state, what) => {
    const { code, message, hint } = fault(() => read(state));
    expect(code).toBe("model/corrupt");
    expect(message).toMatch(/^The toy model is damaged: .*\.$/);
    expect(message).toContain(what);
    expect(hint).toBeDefined();
  });

  it("are not read from inherited properties", () => {
    expect(
      fault(() => readParts("x", { constructor: float64([1]) }, { json: {}, tensors: {} }, {})).code,
    ).toBe("model/corrupt");
  });
});

describe("checkedJson", () => {
  it("names the first fault", () => {
    const schema = z.object({ rows: z.array(nonNegativeInteger) });
    expect(checkedJson("card", { rows: [1, 2] }, schema)).toEqual({ rows: [1, 2] });
    expect(fault(() => checkedJson("card", { rows: [1, -2] }, schema)).message).toContain(
      "The card is damaged: rows.1 is wrong",
    );
    expect(fault(() => checkedJson("card", undefined, schema)).code).toBe("model/corrupt");
  });
});

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkedJson, type State, StateReader } from "#vouch/runtime/state.js";
import { fault } from "../fault.js";

const state: State = {
  json: { size: 2, name: "x" },
  tensors: {
    numbers: { shape: [2, 2], data: Float64Array.of(0, 0.25, 0.5, 1) },
    shares: { shape: [2, 2], data: Float64Array.of(0.25, 0.75, 1, 0) },
    integers: { shape: [3], data: Int32Array.of(-1, 0, 7) },
    singles: { shape: [1], data: Float32Array.of(1) },
    odd: { shape: [2], data: Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY) },
    claims: { shape: [5], data: Int32Array.of(1) },
  },
};
const reader = new StateReader("toy model", state);

describe("StateReader", () => {
  it("gives what fits the expected shape and range", () => {
    expect(reader.json(z.strictObject({ size: z.int(), name: z.string() }))).toEqual(state.json);
    expect(reader.length("integers")).toBe(3);
    expect([...reader.numbers("numbers", [2, 2], 0, 1)]).toEqual([0, 0.25, 0.5, 1]);
    expect([...reader.shares("shares", [2, 2])]).toEqual([0.25, 0.75, 1, 0]);
    expect([...reader.integers("integers", [3], -1, 7)]).toEqual([-1, 0, 7]);
    expect([...reader.integers("integers", [3])]).toEqual([-1, 0, 7]);
    expect(() => reader.only(...Object.keys(state.tensors))).not.toThrow();
  });

  const refused: [string, () => unknown, string][] = [
    ["JSON of another form", () => reader.json(z.object({ size: z.string() })), "size is wrong"],
    ["JSON of another type", () => reader.json(z.string()), "its structure is wrong"],
    ["a tensor that is not there", () => reader.numbers("nobody", [1]), "nobody is missing"],
    ["what every object inherits", () => reader.numbers("constructor", [1]), "constructor is missing"],
    ["a matrix where a vector is expected", () => reader.length("numbers"), "numbers has shape [2,2]"],
    ["another shape of the same length", () => reader.numbers("numbers", [4]), "[2,2] and not [4]"],
    ["less data than the shape claims", () => reader.integers("claims", [5]), "claims has shape [5]"],
    ["integers for numbers", () => reader.numbers("integers", [3]), "integers does not hold doubles"],
    ["single precision", () => reader.numbers("singles", [1]), "singles does not hold doubles"],
    ["numbers for integers", () => reader.integers("numbers", [2, 2]), "numbers does not hold integers"],
    ["a number that is too small", () => reader.numbers("numbers", [2, 2], 0.1), "numbers[0] is 0"],
    ["a number that is too large", () => reader.integers("integers", [3], -1, 6), "integers[2] is 7"],
    ["NaN and infinity", () => reader.numbers("odd", [2]), "odd[0] is NaN"],
    ["shares that do not sum to one", () => reader.shares("numbers", [2, 2]), "numbers sums to 0.25"],
    ["a tensor too many", () => reader.only("numbers"), "unknown tensor shares"],
  ];
  it.each(refused)("refuses %s", (_, read, what) => {
    const { code, message, hint } = fault(read);
    expect(code).toBe("model/corrupt");
    expect(message).toMatch(/^The toy model is damaged: .*\.$/);
    expect(message).toContain(what);
    expect(hint).toBeDefined();
  });
});

describe("checkedJson", () => {
  it("says where the first fault is", () => {
    const schema = z.object({ rows: z.array(z.int().min(0)) });
    expect(checkedJson("card", { rows: [1, 2] }, schema)).toEqual({ rows: [1, 2] });
    expect(fault(() => checkedJson("card", { rows: [1, -2] }, schema)).message).toContain(
      "The card is damaged: rows.1 is wrong",
    );
    expect(fault(() => checkedJson("card", undefined, schema)).code).toBe("model/corrupt");
  });
});

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { json, variant } from "#core/runtime/codec/parts.js";
import { nonNegativeInteger, proportion, realNumber } from "#core/runtime/codec/schema-numbers.js";
import { checkedJson } from "#core/runtime/codec/state.js";

describe("numbers in model files", () => {
  it.each([
    ["a number", z.number()],
    ["an integer", z.int()],
    ["a minimum alone", z.int().min(0)],
    ["a maximum alone", z.number().max(1)],
    ["a positive number", z.number().positive()],
    ["a field", z.strictObject({ rows: nonNegativeInteger, gamma: z.number().min(0) })],
    ["an optional field", z.strictObject({ gamma: z.number().min(0).optional() })],
    ["a field that may be left out", z.strictObject({ gamma: z.number().exactOptional() })],
    ["items", z.array(z.number()).readonly()],
    ["values by name", z.record(z.string(), z.number())],
    ["null or a number", z.number().nullable()],
    ["one of several", z.union([z.literal("auto"), z.int()])],
    ["a kind", z.discriminatedUnion("kind", [z.strictObject({ kind: z.literal("a"), x: z.number() })])],
    ["a refined object", z.strictObject({ x: z.number() }).refine(() => true)],
    ["an unknown kind of schema", z.map(z.string(), z.number())],
  ])("need a range: %s", (_, schema) => {
    expect(() => json(schema)).toThrow(TypeError);
    expect(() => checkedJson("card", 1, schema)).toThrow(TypeError);
  });

  it("need a range in every kind of a variant, whichever the model has", () => {
    expect(() => variant({ linear: {}, rbf: { gamma: z.number().min(0) } })).toThrow(TypeError);
  });

  it("pass with a range", () => {
    const schema = z.strictObject({
      rows: nonNegativeInteger,
      shares: z.array(proportion),
      threshold: realNumber.optional(),
      folds: z.union([z.literal("none"), z.int().min(2).max(10)]),
      options: z.record(z.string(), z.json()),
    });
    expect(() => json(schema)).not.toThrow();
  });
});

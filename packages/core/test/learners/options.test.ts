import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeOptions, parseOptions } from "#core/learners/options.js";
import { parseSetting } from "#core/learners/settings.js";

const schema = z.object({
  rounds: z.int().min(1).max(100).default(10).describe("How many rounds."),
  c: z.number().positive().default(1).describe("Cost of errors."),
  fraction: z.number().gt(0).lte(1).optional(),
  kernel: z.enum(["linear", "rbf"]).default("rbf"),
  shuffle: z.boolean().default(false),
  degrees: z.array(z.int().min(1)).default([1, 2]),
  gamma: z.union([z.number().min(0), z.literal("auto")]).default("auto"),
});

const failure = (work: () => unknown): { code: string; message: string; hint: string } => {
  try {
    work();
  } catch (error) {
    return Object(error);
  }
  throw new Error("nothing was thrown");
};

describe("parseOptions", () => {
  test("fills in defaults", () => {
    const { rounds, degrees, ...rest } = parseOptions("demo", schema, { rounds: 5 });
    expect([rounds, degrees]).toEqual([5, [1, 2]]);
    expect(rest).toEqual({ c: 1, kernel: "rbf", shuffle: false, gamma: "auto" });
    expect(parseOptions("demo", schema)).toMatchObject({ rounds: 10 });
  });

  test.each([
    [{ rounds: 0 }, "demo: rounds must be a whole number from 1 to 100, not 0."],
    [{ rounds: 2.5 }, "demo: rounds must be a whole number from 1 to 100, not 2.5."],
    [{ rounds: "7" }, 'demo: rounds must be a whole number from 1 to 100, not "7".'],
    [{ rounds: null }, "demo: rounds must be a whole number from 1 to 100, not null."],
    [{ c: 0 }, "demo: c must be a number > 0, not 0."],
    [{ c: Number.NaN }, "demo: c must be a number > 0, not NaN."],
    [{ fraction: 2 }, "demo: fraction must be a number > 0 and ≤ 1, not 2."],
    [{ kernel: "poly" }, 'demo: kernel must be one of linear, rbf, not "poly".'],
    [{ shuffle: 1 }, "demo: shuffle must be true or false, not 1."],
    [{ degrees: [1, 0] }, "demo: degrees must be a list, each item a whole number ≥ 1, not [1,0]."],
    [{ gamma: -1 }, "demo: gamma must be a number ≥ 0, or auto, not -1."],
  ])("refuses %o by name, value and what is allowed", (given, message) => {
    expect(failure(() => parseOptions("demo", schema, given))).toMatchObject({
      code: "option/invalid",
      message,
    });
  });

  test("suggests the option that was meant", () => {
    const { code, message, hint } = failure(() => parseOptions("demo", schema, { round: 5 }));
    expect([code, message]).toEqual(["option/unknown", "demo has no option round."]);
    expect(hint).toMatch(/^Did you mean "rounds"\? Its options are rounds, c, /);
    expect(failure(() => parseOptions("demo", schema, { toString: 1 })).code).toBe("option/unknown");
    expect(failure(() => parseOptions("bare", z.object({}), { x: 1 })).hint).toBe("It has no options.");
  });

  test("refuses what is not an object, and options that do not fit together", () => {
    for (const given of [null, [], "rounds=5", 5]) {
      expect(failure(() => parseOptions("demo", schema, given)).code).toBe("option/invalid");
    }
    const pair = z
      .object({ low: z.number(), high: z.number() })
      .refine(({ low, high }) => low < high, "low ≥ high");
    expect(failure(() => parseOptions("demo", pair, { low: 2, high: 1 })).message).toBe(
      "The options of demo do not fit together: low ≥ high.",
    );
  });
});

test("describeOptions says name, default, range and purpose of each option", () => {
  const options = describeOptions(schema);
  expect(options.map(({ name }) => name)).toEqual(Object.keys(schema.shape));
  expect(options[0]).toEqual({
    name: "rounds",
    allowed: "a whole number from 1 to 100",
    choices: [],
    default: 10,
    description: "How many rounds.",
  });
  expect(options[2]).toEqual({
    name: "fraction",
    allowed: "a number > 0 and ≤ 1",
    choices: [],
    description: "",
  });
  const choices = options.map((option) => option.choices).filter((words) => words.length > 0);
  expect(choices).toEqual([["linear", "rbf"], ["true", "false"], ["auto"]]);
});

describe("parseSetting", () => {
  test.each([
    ["rounds=200", "rounds", 200],
    ["c=1e-3", "c", 0.001],
    ["c = .5", "c", 0.5],
    ["kernel=rbf", "kernel", "rbf"],
    ["shuffle=true", "shuffle", true],
    ["degrees=1,2,3", "degrees", [1, 2, 3]],
    ["degrees=4", "degrees", [4]],
    ["degrees=", "degrees", []],
    ["gamma=auto", "gamma", "auto"],
    ["gamma=0.5", "gamma", 0.5],
  ])("reads %s", (setting, name, value) => {
    expect(parseSetting("demo", schema, setting)).toEqual({ name, value });
  });

  test.each([
    ["rounds=many", "option/invalid", /demo: rounds must be .*, not "many"/],
    ["rounds=", "option/invalid", /demo: rounds must be .*, not ""/],
    ["rounds=0x10", "option/invalid", /"0x10"/],
    ["c=Infinity", "option/invalid", /"Infinity"/],
    ["shuffle=yes", "option/invalid", /"yes"/],
    ["degrees=1,,2", "option/invalid", /"1,,2"/],
    ["gamma=automatic", "option/invalid", /"automatic"/],
    ["rounds", "option/invalid", /"rounds" does not set an option/],
    ["=5", "option/invalid", /"=5" does not set an option/],
    ["ronds=5", "option/unknown", /no option ronds/],
    ["__proto__=5", "option/unknown", /no option __proto__/],
  ])("refuses %s", (setting, code, message) => {
    const error = failure(() => parseSetting("demo", schema, setting));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test("leaves ranges to parseOptions", () => {
    const { name, value } = parseSetting("demo", schema, "rounds=0");
    expect(failure(() => parseOptions("demo", schema, { [name]: value })).message).toBe(
      "demo: rounds must be a whole number from 1 to 100, not 0.",
    );
  });
});

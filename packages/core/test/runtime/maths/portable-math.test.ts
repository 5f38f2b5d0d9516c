import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as real from "#core/runtime/maths/portable-math.js";
import { Random } from "#core/runtime/maths/random.js";

/** Largest relative difference to a function of `Math` that is right to 1 ulp, too. */
const CLOSE = 2 ** -51;

const cases = [
  { name: "exp", own: real.exp, other: Math.exp, from: -745, to: 709 },
  { name: "expm1", own: real.expm1, other: Math.expm1, from: -40, to: 40 },
  { name: "log", own: real.log, other: Math.log, from: 0, to: 1e6 },
  { name: "log1p", own: real.log1p, other: Math.log1p, from: -1, to: 10 },
  { name: "log2", own: real.log2, other: Math.log2, from: 0, to: 100 },
  { name: "tanh", own: real.tanh, other: Math.tanh, from: -25, to: 25 },
  { name: "cos", own: real.cos, other: Math.cos, from: 0, to: 2 * Math.PI },
  { name: "sin", own: real.sin, other: Math.sin, from: -10, to: 10 },
  { name: "atan", own: real.atan, other: Math.atan, from: -50, to: 50 },
];

describe("functions of real numbers", () => {
  for (const { name, own, other, from, to } of cases) {
    it(`${name} is right to the last digits`, () => {
      const random = new Random(1);
      let worst = 0;
      for (let i = 0; i < 20_000; i++) {
        const x = from + (to - from) * random.uniform();
        const expected = other(x);
        worst = Math.max(worst, Math.abs(own(x) - expected) / Math.max(Math.abs(expected), 1e-300));
      }
      expect(worst).toBeLessThan(CLOSE);
    });
  }

  it("have the right values at the ends", () => {
    const { exp, expm1, log, log1p, log2, tanh } = real;
    expect([exp(0), exp(1), exp(710), exp(-746), exp(Number.NaN)]).toEqual([
      1,
      Math.E,
      Infinity,
      0,
      Number.NaN,
    ]);
    expect([expm1(0), expm1(-50), expm1(710)]).toEqual([0, -1, Infinity]);
    expect([log(1), log(0), log(-1), log(Infinity), log(5e-324)]).toEqual([
      0,
      -Infinity,
      Number.NaN,
      Infinity,
      -744.4400719213812,
    ]);
    expect([log1p(0), log1p(-1), log1p(-2)]).toEqual([0, -Infinity, Number.NaN]);
    expect([log2(8), log2(1), log2(2 ** -1074), log2(0)]).toEqual([3, 0, -1074, -Infinity]);
    expect([tanh(0), tanh(30), tanh(-30)]).toEqual([0, 1, -1]);
    expect([real.wholePower(2, 10), real.wholePower(3, 0), real.wholePower(-2, 3)]).toEqual([1024, 1, -8]);
    expect([real.cos(0), real.sin(0), real.atan(Infinity)]).toEqual([1, 0, Math.PI / 2]);
  });

  it("are used everywhere: those of Math differ between machines", () => {
    const source = new URL("../../../src/", import.meta.url);
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    );
    const inexact =
      /\bMath\.(?:a?(?:sin|cos|tan)h?|atan2|exp|expm1|log|log1p|log2|log10|pow|cbrt|hypot)\b|(?<!\b(?:2|1024)) \*\* (?![23]\b)/;
    const uses = files.filter((path) =>
      inexact.test(readFileSync(new URL(path, source), "utf8").replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "")),
    );
    expect(files.length).toBeGreaterThan(300);
    // Numbers for readers, and predictions of times.
    expect(uses).toEqual(["runtime/text/number-format.ts", "select/race/candidate-family.ts"]);
  });
});

import { describe, expect, it } from "vitest";
import { Calibrator, type CalibratorParts } from "#core/metrics/calibrator.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Parts of a calibrator with different numbers for each class. */
function partsOf(classes: number, random: Random): CalibratorParts {
  const vector = (least: number) => Float64Array.from({ length: classes }, () => least + random.uniform());
  return {
    method: "platt",
    scoring: "probability",
    floor: 1e-4,
    scale: 1,
    slopes: vector(0.5),
    intercepts: vector(-0.5),
  };
}

/** Rows of probabilities; some are 0. */
function probabilities(rows: number, classes: number, random: Random): number[][] {
  return Array.from({ length: rows }, () => {
    const shares = Array.from({ length: classes }, () => Math.max(0, random.normal() + 1));
    shares[random.integer(classes)] += 1;
    return shares.map((share) => share / sum(shares));
  });
}

/** The three steps of a calibrator, by definition; `curve` takes the probability of a class after the first one. */
function expectedRow(
  row: readonly number[],
  { floor, slopes, intercepts }: CalibratorParts,
  curve?: (p: number, k: number) => number,
): number[] {
  const classes = row.length;
  const raised = (p: number) => floor + (1 - classes * floor) * p;
  const powers = row.map((p, k) => raised(p) ** slopes[k] * Math.exp(intercepts[k]));
  const shares = powers.map((power) => power / sum(powers));
  if (!curve) return shares.map(raised);
  const second = curve(shares[1], 0);
  const own = classes === 2 ? [1 - second, second] : shares.map(curve);
  return own.map((p) => raised(p / sum(own)));
}

function expectRows(
  parts: CalibratorParts,
  rows: number[][],
  curve?: (p: number, k: number) => number,
): void {
  const before = wasmMemory().used;
  const { values } = new Calibrator(parts).probabilities(Matrix.from(rows));
  expect(wasmMemory().used).toBe(before);
  const classes = rows[0].length;
  for (const [i, row] of rows.entries()) {
    const expected = expectedRow(row, parts, curve);
    for (const [k, p] of expected.entries())
      expect(Math.abs(values[i * classes + k] - p)).toBeLessThan(1e-12);
  }
}

describe.each([2, 3, 7, 26])("calibrated probabilities of %i classes", (classes) => {
  const random = new Random(classes);
  const parts = partsOf(classes, random);
  // More rows than kernels take at a time.
  const rows = probabilities(Math.ceil(20_000 / classes), classes, random);
  const curves = classes === 2 ? 1 : classes;
  const numbers = (least: number) => Float64Array.from({ length: curves }, () => least + random.uniform());

  it("are softmax(slope · ln p + intercept)", () => {
    expectRows(parts, rows);
  });

  it("follow beta curves", () => {
    const [a, b, c] = [numbers(0.5), numbers(0.5), numbers(-0.5)];
    expectRows({ ...parts, method: "beta", curves: { kind: "beta", a, b, c } }, rows, (p, k) =>
      sigmoid(a[k] * Math.log(p) - b[k] * Math.log(1 - p) + c[k]),
    );
  });

  it("follow isotonic curves: linear in the log-odds between knots, constant outside", () => {
    const knots = Array.from({ length: curves }, (_, k) => ({
      at: Float64Array.from({ length: 1 + (k % 4) }, (_, j) => 2 * j - 3),
      probabilities: Float64Array.from({ length: 1 + (k % 4) }, (_, j) => 0.1 + 0.2 * j),
    }));
    expectRows({ ...parts, method: "isotonic", curves: { kind: "isotonic", knots } }, rows, (p, k) => {
      const last = knots[k].at.length - 1;
      const place = Math.min(last, Math.max(0, (Math.log(p / (1 - p)) + 3) / 2));
      return 0.1 + 0.2 * place;
    });
  });
});

it("keeps log-odds of scores far apart finite, and their order", () => {
  const calibrator = new Calibrator({
    method: "beta",
    scoring: "decision",
    floor: 0,
    scale: 1,
    slopes: Float64Array.of(1, 1, 1),
    intercepts: Float64Array.of(0, 0, 0),
    curves: {
      kind: "beta",
      a: Float64Array.of(1, 1, 1),
      b: Float64Array.of(1, 1, 1),
      c: new Float64Array(3),
    },
  });
  const { values } = calibrator.probabilities(
    Matrix.from([
      [1e9, 0, -1e9],
      [0, 0, 0],
    ]),
  );
  expect(values[0]).toBe(1);
  expect(values[1]).toBeGreaterThanOrEqual(values[2]);
  for (const p of values.subarray(3)) expect(p).toBeCloseTo(1 / 3, 14);
});

import { describe, expect, it } from "vitest";
import { calibratorState } from "#core/metrics/calibrator-state.js";
import { logLoss } from "#core/metrics/evaluation.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { fitMethod, prepareScores } from "#core/validation/calibrator-solvers.js";
import { fitCalibrator } from "#core/validation/choose-calibrator.js";

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** Draws the true log-odds of a row and the log-odds that the model shows. */
type Scenario = (random: Random) => readonly [truth: number, shown: number];

function times(draw: (random: Random) => number, shown: (truth: number) => number): Scenario {
  return (random) => {
    const truth = draw(random);
    return [truth, shown(truth)];
  };
}

const wide = (random: Random) => 2 * random.normal();

const scenarios: Readonly<Record<string, Scenario>> = {
  calibrated: times(wide, (x) => x),
  "calibrated and confident": times(
    (random) => 6 * random.normal(),
    (x) => x,
  ),
  "calibrated, rare class": times(
    (random) => 1.5 * random.normal() - 4,
    (x) => x,
  ),
  overconfident: times(wide, (x) => 2 * x),
  underconfident: times(wide, (x) => x / 2),
  shifted: times(wide, (x) => x + 1),
  asymmetric: times(wide, (x) => (x > 0 ? 2.5 * x : 0.7 * x)),
  noise: (random) => [0, 0.3 * random.normal()],
  steps: (random) => {
    const shown = 2 * random.normal();
    return [shown < -1 ? -3 : shown < 1 ? 0 : 2.5, shown];
  },
  "votes of 20 trees": (random) => {
    const truth = 2.5 * random.normal();
    const votes = Array.from({ length: 20 }, () => Number(random.uniform() < logistic(1.2 * truth)));
    const share = votes.reduce((sum, vote) => sum + vote, 0) / 20;
    return [truth, Math.log(share / (1 - share))];
  },
};

function drawn(scenario: Scenario, rows: number, random: Random) {
  const values = new Float64Array(2 * rows);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const [truth, shown] = scenario(random);
    values[2 * i + 1] = logistic(shown);
    values[2 * i] = 1 - values[2 * i + 1];
    labels[i] = Number(random.uniform() < logistic(truth));
  }
  return { scores: new Matrix(rows, 2, values), labels, scoring: "probability" as const };
}

/** Increases of the log-loss on fresh rows, one per seed. */
async function increases(name: string, rows: number, seeds: number): Promise<number[]> {
  const found: number[] = [];
  for (let seed = 0; seed < seeds; seed++) {
    const random = new Random(seed);
    const { calibrator } = await fitCalibrator(drawn(scenarios[name], rows, random), 2, { seed });
    const fresh = drawn(scenarios[name], 2000, random);
    found.push(
      logLoss(fresh.labels, calibrator.probabilities(fresh.scores)) - logLoss(fresh.labels, fresh.scores),
    );
  }
  return found;
}

describe("calibration on fresh rows", () => {
  it.each(Object.keys(scenarios))(
    "of %s probabilities does not increase the log-loss by more than 0.002",
    async (name) => {
      for (const rows of [60, 250, 1000]) {
        const worse = (await increases(name, rows, 4)).filter((increase) => increase > 0.002);
        expect(worse).toEqual([]);
      }
    },
  );

  it.each([
    ["overconfident", 0.05],
    ["underconfident", 0.03],
    ["shifted", 0.05],
    ["asymmetric", 0.05],
    ["votes of 20 trees", 0.2],
  ])("of %s probabilities lowers the log-loss", async (name, gain) => {
    const found = await increases(name, 1500, 4);
    for (const increase of found) expect(increase).toBeLessThan(-gain);
  });
});

describe("the choice of a method", () => {
  const methodFor = async (name: string, rows: number) => {
    const { calibrator } = await fitCalibrator(drawn(scenarios[name], rows, new Random(1)), 2, { seed: 1 });
    return calibrator.method;
  };

  it("is the simplest one that the rows support", async () => {
    expect(await methodFor("calibrated", 3000)).toBe("none");
    expect(await methodFor("overconfident", 3000)).toBe("temperature");
    expect(await methodFor("shifted", 3000)).toBe("platt");
    expect(await methodFor("asymmetric", 3000)).toBe("beta");
    expect(await methodFor("steps", 3000)).toBe("isotonic");
  });

  it("leaves the probabilities of few rows alone, and calibrates decision values of any number", async () => {
    for (const rows of [1, 5, 20]) {
      const { scores, labels } = drawn(scenarios.shifted, rows, new Random(2));
      const { calibrator, table } = await fitCalibrator({ scores, labels, scoring: "probability" }, 2);
      expect(calibrator.method).toBe("none");
      expect(table).toEqual([]);
      const decided = await fitCalibrator({ scores, labels, scoring: "decision" }, 2);
      expect(decided.calibrator.method).toBe("temperature");
      for (const p of decided.calibrator.probabilities(scores).values) expect(p > 0 && p < 1).toBe(true);
    }
  });

  it("survives perfect separation, one class only, and a class with one row", async () => {
    const rows = 200;
    const separated = Matrix.from(Array.from({ length: rows }, (_, i) => (i % 2 ? [-9, 9] : [9, -9])));
    const classes = {
      separated: Int32Array.from({ length: rows }, (_, i) => i % 2),
      "one class": new Int32Array(rows),
      "one row": Int32Array.from({ length: rows }, (_, i) => Number(i === 1)),
    };
    for (const labels of Object.values(classes)) {
      const { calibrator } = await fitCalibrator({ scores: separated, labels, scoring: "decision" }, 2);
      for (const p of calibrator.probabilities(separated).values) expect(p > 0 && p < 1).toBe(true);
    }
    const sure = await fitCalibrator(
      { scores: separated, labels: classes.separated, scoring: "decision" },
      2,
    );
    expect(sure.calibrator.probabilities(separated).values[0]).toBeGreaterThan(0.98);
  });

  it("counts rows of a group as one, so that copies are not evidence", async () => {
    const { scores, labels } = drawn(scenarios.underconfident, 60, new Random(3));
    const copies = Int32Array.from({ length: 60 * 40 }, (_, i) => i % 60);
    const many = {
      scores: scores.select(copies),
      labels: copies.map((row) => labels[row]),
      scoring: "probability" as const,
    };
    expect((await fitCalibrator(many, 2)).calibrator.method).not.toBe("none");
    expect((await fitCalibrator({ ...many, groups: copies }, 2)).calibrator.method).toBe("none");
  });

  it("takes a row of weight w as w rows, up to the scale of all weights", async () => {
    const { scores, labels, scoring } = drawn(scenarios.shifted, 400, new Random(4));
    const twice = Int32Array.from({ length: 800 }, (_, i) => i >> 1);
    const weights = new Float64Array(400).fill(5);
    const one = await fitCalibrator({ scores, labels, scoring, weights }, 2, { seed: 1 });
    const plain = await fitCalibrator({ scores, labels, scoring }, 2, { seed: 1 });
    expect(calibratorState(one.calibrator)).toEqual(calibratorState(plain.calibrator));
    // Rows of weight 0 count nothing.
    const half = new Float64Array(800).map((_, i) => (i % 2 ? 0 : 1));
    const without = await fitCalibrator(
      { scores: scores.select(twice), labels: twice.map((row) => labels[row]), scoring, weights: half },
      2,
      { seed: 1 },
    );
    expect(calibratorState(without.calibrator)).toEqual(calibratorState(plain.calibrator));
  });

  it("makes the share n/(n + 200) of the correction, on the scale of log-odds", async () => {
    for (const name of ["overconfident", "shifted", "asymmetric", "steps"]) {
      const rows = drawn(scenarios[name], 1800, new Random(7));
      const { calibrator } = await fitCalibrator(rows, 2, { seed: 1 });
      const weights = new Float64Array(1800).fill(1);
      const whole = fitMethod(
        calibrator.method,
        prepareScores(rows.scores, "probability", rows.labels),
        weights,
      );
      for (const x of [-2, -0.5, 1, 1.5]) {
        const at = (one: typeof calibrator) => {
          const [p, q] = one.probabilities(Matrix.from([[logistic(-x), logistic(x)]])).values;
          return Math.log(q / p);
        };
        // Between its knots an isotonic curve is linear in probabilities.
        const tolerance = calibrator.method === "isotonic" ? 0.05 : 0.002;
        expect(calibrator.method).not.toBe("none");
        expect(Math.abs(at(calibrator) - (0.9 * at(whole) + 0.1 * x))).toBeLessThan(tolerance);
      }
    }
  });

  it("refuses NaN, unknown classes, negative weights and lists of other lengths", async () => {
    const rows = drawn(scenarios.calibrated, 10, new Random(5));
    const malformed = expect.objectContaining({ code: "data/malformed" });
    const refused = (changes: object) =>
      expect(fitCalibrator({ ...rows, ...changes }, 2)).rejects.toThrow(malformed);
    await refused({ scores: new Matrix(10, 2, new Float64Array(20).fill(Number.NaN)) });
    await refused({ labels: new Int32Array(10).fill(2) });
    await refused({ labels: new Int32Array(10).fill(-1) });
    await refused({ labels: new Int32Array(9) });
    await refused({ weights: new Float64Array(10).fill(-1) });
    await refused({ groups: new Int32Array(3) });
    await expect(fitCalibrator({ ...rows, weights: new Float64Array(10) }, 2)).rejects.toThrow(
      expect.objectContaining({ code: "data/no-rows" }),
    );
  });

  it("is the same for the same seed", async () => {
    const rows = drawn(scenarios.asymmetric, 1200, new Random(6));
    const [first, second] = [
      await fitCalibrator(rows, 2, { seed: 9 }),
      await fitCalibrator(rows, 2, { seed: 9 }),
    ];
    expect(first.table).toEqual(second.table);
    expect(calibratorState(first.calibrator)).toEqual(calibratorState(second.calibrator));
  });
});

import { describe, expect, it } from "vitest";
import { stump, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { certify } from "#core/train/certify.js";

describe("the balanced error", () => {
  it("counts a class without held-out rows as misclassified", () => {
    const confusion = (second: readonly number[]) => ({
      classes: ["a", "b"],
      matrix: [[100, 0], second],
    });
    const boundOf = (second: readonly number[]) => {
      const heldOut = { rows: 100, errors: 0, confusion: confusion(second) };
      return certify({ card: {} }, { heldOut }).find(({ name }) => name === "balanced-error");
    };
    // The first class has the exact bound 1 − 0.05^(1/100), the other an error of up to 1.
    expect(boundOf([0, 0])?.value).toBeCloseTo((1 - 0.05 ** (1 / 100) + 1) / 2, 9);
    expect(boundOf([0, 0])?.terms).toMatchObject({ classes: 2, "classes without held-out rows": 1 });
    expect(boundOf([0, 100])?.value).toBeLessThan(0.03);
  });
});

describe("best-of", () => {
  it("does not take a bound about new rows for one about all cases", () => {
    const repeats = { rows: 50, errors: 20, newRows: 50, newErrors: 0, natural: true };
    const heldOut = { rows: 100, errors: 20, repeats };
    const model = {
      certificates: ({ confidence }: { confidence: number }) => [
        {
          name: "training",
          measure: "error" as const,
          reference: "",
          value: 0.9,
          confidence,
          holds: true,
          premises: [],
          terms: {},
          statement: "",
        },
      ],
    };
    const certificates = certify({ card: {}, model }, { heldOut });
    const boundBy = (wanted: string) => certificates.find(({ name }) => name === wanted)?.value ?? Number.NaN;
    expect(boundBy("held-out-new-rows")).toBeLessThan(0.1);
    expect(boundBy("best-of")).toBeGreaterThan(0.2);
  });
});

describe("a split by time", () => {
  it("leaves no bound from the training rows, which are of another time", async () => {
    const random = new Random(1);
    const table = Table.fromRecords(
      "periods",
      Array.from({ length: 200 }, (_, time) => {
        const x = random.integer(8);
        return { x, time, label: x > 3 ? "yes" : "no" };
      }),
    );
    const { certificates } = await trainClassifier(table, stump(), { holdout: 0.5, time: "time" });
    const named = (wanted: string) => certificates.find(({ name }) => name === wanted);
    expect(named("held-out-binomial")?.holds).toBe(true);
    expect(named("growth-function-exact")).toMatchObject({
      holds: false,
      reason: expect.stringContaining("older than future cases"),
    });
  });
});

describe("natural repeats", () => {
  it("count as often as they occur among the rows that equal no training row", async () => {
    const random = new Random(2);
    const table = Table.fromRecords(
      "few values",
      Array.from({ length: 300 }, () => {
        const x = Math.floor(-8 * Math.log(1 - random.uniform()));
        return { x, label: random.uniform() < 0.3 ? "yes" : "no" };
      }),
    );
    const { evidence } = await trainClassifier(table, stump(), { holdout: 0.9, run: { seed: 3 } });
    expect(evidence?.repeats?.natural).toBe(true);
    expect((evidence?.repeats?.rows ?? 0) + (evidence?.repeats?.newRows ?? 0)).toBe(evidence?.rows);
  });
});

import { describe, expect, it } from "vitest";
import { largestProbability } from "#core/theory/distributions.js";
import { aucBounds } from "#core/theory/held-out/auc-bound.js";
import { meanUpperBounds } from "#core/theory/held-out/bounded-mean.js";
import { expectedCostBounds } from "#core/theory/held-out/class-bounds.js";
import type { HeldOutEvidence } from "#core/theory/held-out/held-out.js";
import { measureCertificates } from "#core/theory/held-out/measures.js";

const matrix = [
  [70, 10],
  [12, 8],
];
const brier = Float64Array.from({ length: 100 }, (_, i) => (i % 10) / 20);
const evidence: HeldOutEvidence = {
  rows: 100,
  errors: 22,
  confidence: 0.9,
  drawn: "random",
  confusion: { classes: ["no", "yes"], matrix },
  losses: {
    brier,
    brierRange: 1,
    logLoss: brier.map((loss) => 2 * loss),
    leastProbability: 0.001,
  },
  auc: { value: 0.8, positives: 20, negatives: 80 },
};

function find(given: HeldOutEvidence, name: string, of?: string) {
  const found = measureCertificates(given).find((one) => one.name === name && one.class === of);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

describe("certificates of other measures", () => {
  it("bound the error and the precision of each class by its own rows", () => {
    expect(find(evidence, "class-error", "yes")).toMatchObject({
      value: largestProbability(12, 20, 0.1),
      terms: { errors: 12, rows: 20 },
      statement: expect.stringMatching(
        /at most [\d.]+% of new cases like these that are of class "yes" are misclassified, from 20 /,
      ),
    });
    const precision = find(evidence, "precision", "yes");
    expect(precision).toMatchObject({ bound: "lower", terms: { right: 8, predicted: 18 } });
    expect(precision.value).toBeCloseTo(1 - largestProbability(10, 18, 0.1), 12);
    expect(precision.statement).toMatch(
      /at least [\d.]+% of predictions of "yes" for new cases like these are right, from 18 /,
    );
    expect(precision.value).toBeLessThan(8 / 18);
  });

  it("bound balanced error, AUC, Brier score and log-loss", () => {
    expect(find(evidence, "balanced-error").terms["mean error of the tested classes"]).toBeCloseTo(
      (10 / 80 + 12 / 20) / 2,
      12,
    );
    expect(find(evidence, "auc").value).toBe(
      aucBounds({ auc: 0.8, positives: 20, negatives: 80 }, 0.1).lower,
    );
    expect(find(evidence, "brier").value).toBe(meanUpperBounds(brier, { low: 0, high: 1 }, 0.1).betting);
    const logLoss = find(evidence, "log-loss");
    const high = -Math.log(0.001);
    expect(logLoss.value).toBe(
      meanUpperBounds(
        brier.map((loss) => 2 * loss),
        { low: 0, high },
        0.1,
      ).betting,
    );
    expect(logLoss.statement).toContain("clipped to at least 0.001");
  });

  it("bound the cost of a cost matrix", () => {
    const costs = [
      [0, 1],
      [5, 0],
    ];
    const cost = measureCertificates(evidence, costs).find(({ name }) => name === "cost");
    expect(cost?.value).toBe(expectedCostBounds(matrix, costs, 0.1).betting);
    expect(cost?.premises.at(-1)).toEqual({
      text: "The costs were set before anyone looked at the held-out rows.",
      status: "assumed",
    });
    expect(cost?.terms["mean cost"]).toBeCloseTo((10 + 60) / 100, 12);
  });

  it("are only of group means if rows of a group are not independent", () => {
    const groups = [{ rows: 10, errors: 2, groups: 10 }];
    const grouped = { ...evidence, drawn: "groups" as const, groups };
    expect(measureCertificates(grouped).map(({ name }) => name)).toEqual(["brier", "log-loss"]);
    for (const { holds, statement } of measureCertificates(grouped)) {
      expect(holds).toBe(true);
      expect(statement).toContain("from 10 held-out groups");
    }
  });

  it("leave out classes without rows and single classes if there are very many", () => {
    const missing = [
      [5, 0, 0],
      [1, 4, 0],
      [0, 0, 0],
    ];
    const given = { ...evidence, confusion: { classes: ["a", "b", "c"], matrix: missing } };
    const names = measureCertificates(given).map((one) => `${one.name} ${one.class ?? ""}`.trim());
    expect(names.slice(0, 5)).toEqual([
      "balanced-error",
      "class-error a",
      "class-error b",
      "precision a",
      "precision b",
    ]);
    const size = 101;
    const many = Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => Number(i === j)),
    );
    const classes = many.map((_, i) => `c${i}`);
    const large = measureCertificates({ ...evidence, confusion: { classes, matrix: many } });
    expect(large.map(({ name }) => name)).not.toContain("class-error");
  });
});

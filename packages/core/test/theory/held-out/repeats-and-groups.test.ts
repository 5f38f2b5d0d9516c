import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { largestProbability } from "#core/theory/distributions.js";
import { meanUpperBounds } from "#core/theory/held-out/bounded-mean.js";
import type { HeldOutEvidence } from "#core/theory/held-out/held-out.js";
import { heldOutErrorCertificates, quotesNewRows } from "#core/theory/held-out/repeats-and-groups.js";

const evidence: HeldOutEvidence = { rows: 600, errors: 66, confidence: 0.95, drawn: "random" };
const copies = { rows: 400, errors: 30, newRows: 180, newErrors: 36, natural: false };

function byName(given: HeldOutEvidence) {
  return new Map(heldOutErrorCertificates(given).map((certificate) => [certificate.name, certificate]));
}

describe("held-out rows that repeat training rows", () => {
  it("are left out of the quoted bound if independent rows would not repeat", () => {
    const [first] = heldOutErrorCertificates({ ...evidence, repeats: copies });
    expect(first.name).toBe("held-out-new-rows");
    expect(first.value).toBe(largestProbability(36, 180, 0.05));
    expect(first.statement).toMatch(
      /at most [\d.]+% of new cases that equal no training row are misclassified, from 180 new rows\.$/,
    );
    expect(first.holds).toBe(true);
    const all = byName({ ...evidence, repeats: copies }).get("held-out-binomial");
    expect(all?.holds).toBe(false);
    expect(all?.reason).toContain("400 of 600 held-out rows repeat training rows");
    expect(all?.premises.map(({ status }) => status)).toEqual(["checked", "assumed", "violated"]);
  });

  it("stay in the quoted bound if they are natural, unless the error on new rows is significantly larger", () => {
    const natural = { ...copies, natural: true };
    // 30 of 400 against 36 of 180 errors.
    expect(quotesNewRows({ repeats: natural })).toBe(true);
    expect(heldOutErrorCertificates({ ...evidence, repeats: natural })[0].name).toBe("held-out-new-rows");
    expect(byName({ ...evidence, repeats: natural }).get("held-out-binomial")?.holds).toBe(true);
    const alike = { ...natural, newErrors: 14 };
    expect(quotesNewRows({ repeats: alike })).toBe(false);
    expect(heldOutErrorCertificates({ ...evidence, repeats: alike })[0].name).toBe("held-out-binomial");
    // A larger error on repeats is not a reason to quote the smaller one.
    expect(quotesNewRows({ repeats: { ...natural, errors: 200, newErrors: 10 } })).toBe(false);
  });

  it("leave nothing to say without new rows", () => {
    const none = { rows: 600, errors: 66, newRows: 0, newErrors: 0, natural: false };
    const [first] = heldOutErrorCertificates({ ...evidence, repeats: none });
    expect(first.reason).toBe("There are no new rows.");
    expect(first.value).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("held-out groups", () => {
  it("are bounded by the mean of their errors, and rows do not count", () => {
    const groups = [
      { rows: 10, errors: 0, groups: 30 },
      { rows: 10, errors: 10, groups: 5 },
      { rows: 4, errors: 1, groups: 5 },
    ];
    const given = { ...evidence, rows: 370, errors: 55, drawn: "groups" as const, groups };
    const shares = Float64Array.from([
      ...new Array(30).fill(0),
      ...new Array(5).fill(1),
      ...new Array(5).fill(0.25),
    ]);
    const [first] = heldOutErrorCertificates(given);
    expect(first).toMatchObject({ name: "held-out-groups", measure: "group-error", holds: true });
    expect(first.value).toBe(meanUpperBounds(shares, { low: 0, high: 1 }, 0.05).betting);
    expect(first.value).toBeGreaterThan(6.25 / 40);
    expect(byName(given).get("held-out-binomial")?.holds).toBe(false);
  });

  it("keep the level if errors come group by group, where rows would not", () => {
    // All rows of a group are right or wrong together, in one of five groups.
    const failures = { groups: 0, rows: 0 };
    const runs = 600;
    for (let seed = 1; seed <= runs; seed++) {
      const random = new Random(seed);
      const wrong = Array.from({ length: 30 }, () => Number(random.uniform() < 0.2));
      const groups = [0, 1].flatMap((one) => {
        const count = wrong.filter((error) => error === one).length;
        return count > 0 ? [{ rows: 20, errors: 20 * one, groups: count }] : [];
      });
      const errors = 20 * wrong.reduce((sum, error) => sum + error, 0);
      const given = { rows: 600, errors, confidence: 0.9, drawn: "groups" as const, groups };
      if (heldOutErrorCertificates(given)[0].value < 0.2) failures.groups++;
      if (largestProbability(errors, 600, 0.1) < 0.2) failures.rows++;
    }
    expect(failures.groups / runs).toBeLessThan(0.1 + 2 * Math.sqrt(0.09 / runs));
    expect(failures.rows / runs).toBeGreaterThan(0.25);
  });
});

describe("an error that changes over time", () => {
  it("violates the premise that the future is like the test", () => {
    const change = "The error changes over time: 0% in the first period of the test, 32.0% in the last.";
    for (const certificate of heldOutErrorCertificates({ ...evidence, drawn: "time", change })) {
      expect(certificate.holds).toBe(false);
      expect(certificate.reason).toBe(change);
    }
    const [steady] = heldOutErrorCertificates({ ...evidence, drawn: "time" });
    expect(steady.statement).toContain("of cases like those of the test period are misclassified");
  });
});

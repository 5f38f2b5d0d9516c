import { describe, expect, it } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { boundText } from "#core/theory/certificate-words.js";
import {
  abstentionCertificates,
  describeAbstention,
} from "#core/theory/conformal/abstention-certificates.js";
import {
  countCoverage,
  coverageCertificates,
  describeSets,
  testedCoverageCertificates,
} from "#core/theory/conformal/coverage-certificates.js";
import { largestProbability } from "#core/theory/distributions.js";
import type { HeldOutEvidence } from "#core/theory/held-out/held-out.js";

const counts = { rows: 1000, answered: 650, errors: 6 };
const evidence: HeldOutEvidence = { rows: 1000, errors: 80, drawn: "random", confidence: 0.95 };
const rule = { threshold: 0.8, asked: 0.02, target: 0.02, confidence: 0.95, thresholds: 20, counts };

describe("certificates of a classifier that abstains", () => {
  it("say what the answers promise, and how many there are", () => {
    const [error, rate] = abstentionCertificates(counts, evidence, rule);
    expect(error).toMatchObject({
      name: "answered-error",
      measure: "answered-error",
      value: 0.02,
      holds: true,
    });
    expect(error.statement).toBe(
      "With 95% confidence at most 2.0% of its answers for new cases like these are wrong, from 650 answered held-out rows.",
    );
    expect(rate).toMatchObject({ measure: "answer-rate", bound: "lower", holds: true });
    expect(rate.value).toBeCloseTo(1 - largestProbability(350, 1000, 0.05 / 20), 12);
    expect(rate.statement).toBe(
      "With 95% confidence it answers at least 60.6% of new cases like these, from 1,000 held-out rows.",
    );
    expect(boundText(rate, rate.value)).toBe("≥ 60.6%");
    expect(boundText(error, error.value)).toBe("≤ 2.0%");
    expect(error.premises.at(-1)).toMatchObject({ status: "checked" });
    for (const { premises } of [error, rate]) {
      expect(premises).toContainEqual({
        text: "The error that answers may have was set before anyone looked at the held-out rows.",
        status: "assumed",
      });
    }
    expect(describeAbstention(rule)).toBe(
      "At most 2.0% of its answers are wrong, and it answers at least 60.6% of new cases (65.0% of the held-out rows); each with 95% confidence.",
    );
  });

  it("are larger at a larger confidence, as for values that hold together", () => {
    const [error, rate] = abstentionCertificates(counts, { ...evidence, confidence: 0.975 }, rule);
    expect(error.value).toBe(largestProbability(6, 650, 0.025 / 20));
    expect(rate.value).toBeLessThan(0.606);
  });

  it("are plain binomial bounds on rows that did not choose the threshold", () => {
    const [error, rate] = abstentionCertificates(counts, evidence);
    expect(error.value).toBe(largestProbability(6, 650, 0.05));
    expect(rate.value).toBeCloseTo(1 - largestProbability(350, 1000, 0.05), 12);
    expect(error.premises).toHaveLength(3);
  });

  it("have the premises of all held-out bounds", () => {
    const violated = (more: Partial<HeldOutEvidence>) =>
      abstentionCertificates(counts, { ...evidence, ...more }, rule).map(({ holds }) => holds);
    expect(violated({ dependence: "Some rows were training rows." })).toEqual([false, false]);
    expect(violated({ change: "The error changes over time." })).toEqual([false, false]);
    expect(violated({ groups: [{ rows: 2, errors: 0, groups: 500 }] })).toEqual([false, false]);
    const [stratified] = abstentionCertificates(counts, { ...evidence, drawn: "stratified" }, rule);
    expect(stratified.premises.some(({ text }) => text.includes("class proportions"))).toBe(true);
    const repeats = { rows: 10, errors: 0, newRows: 990, newErrors: 80, natural: false };
    const [copied] = abstentionCertificates({ ...counts, rows: 990 }, { ...evidence, repeats }, rule);
    expect(copied.holds).toBe(true);
    expect(copied.statement).toContain("new cases that equal no training row");
  });

  it("count groups", () => {
    const groups = [
      { rows: 2, answered: 2, errors: 0, groups: 300 },
      { rows: 4, answered: 1, errors: 1, groups: 10 },
    ];
    const byGroup = { rows: 640, answered: 610, errors: 10, groups };
    const given = { ...evidence, groups: [{ rows: 2, errors: 0, groups: 310 }] };
    const [error, rate] = abstentionCertificates(byGroup, given, { ...rule, target: 0.05 });
    expect(error).toMatchObject({ value: 0.05, holds: true });
    expect(error.statement).toContain("from 310 held-out groups");
    expect(rate.value).toBeLessThan(305 / 310);
    expect(rate.value).toBeGreaterThan(0.85);
  });

  it("say so without answers, and if the target cannot be kept", () => {
    const none = { rows: 10, answered: 0, errors: 0 };
    const [error, rate] = abstentionCertificates(none, { ...evidence, rows: 10 });
    expect(error.statement).toBe("No guarantee: There are no answered held-out rows.");
    expect(rate.value).toBe(0);
    const small = { rows: 60, answered: 50, errors: 1 };
    expect(describeAbstention({ ...rule, target: 0.0914, thresholds: 1, counts: small })).toMatch(
      /^60 held-out rows cannot show that at most 2% of its answers are wrong. That takes at least 154 answered rows, without any error. The best they can show: at most 9.2% are wrong, and it answers at least 7[\d.]+% of new cases \(83.3% of the held-out rows\); each with 95% confidence.$/,
    );
  });
});

describe("certificates of prediction sets", () => {
  const classes = ["a", "b"];
  const limits = [{ probability: 0.3, rows: 500, misses: 16 }];
  const overall = { asked: 0.95, level: 0.95, confidence: 0.95, perClass: false, limits, meanSize: 1.204 };

  it("bound the coverage from below, at any confidence", () => {
    const [one] = coverageCertificates(overall, { ...evidence, rows: 500 }, classes);
    expect(one).toMatchObject({ name: "coverage", measure: "coverage", bound: "lower", holds: true });
    expect(one.value).toBeCloseTo(1 - largestProbability(16, 500, 0.95 * 0.05), 12);
    expect(one.premises.at(-1)).toEqual({
      text: "The coverage that sets must have was set before anyone looked at the held-out rows.",
      status: "assumed",
    });
    expect(one.value).toBeGreaterThanOrEqual(0.95);
    expect(one.statement).toMatch(
      /^With 95% confidence the sets of at least 95.\d% of new cases like these have their class, from 500 held-out rows.$/,
    );
    expect(coverageCertificates(overall, { ...evidence, confidence: 0.99 }, classes)[0].value).toBeLessThan(
      one.value,
    );
    expect(describeSets(overall, classes)).toBe(
      "With 95% confidence, the sets have the class of at least 95.0% of new cases. The sets of held-out rows have 1.2 of 2 classes on average.",
    );
    expect(describeSets({ ...overall, level: 0.9 }, classes)).toContain(
      "500 held-out rows cannot certify 95%. The most they can: with 95% confidence",
    );
  });

  it("say that no set contains classes without training rows", () => {
    const few = { ...overall, unknown: { rows: 10, of: 500 } };
    const words = "of the held-out rows are of classes without training rows, which no set contains";
    const [kept] = coverageCertificates(few, evidence, classes);
    expect(kept.value).toBe(coverageCertificates(overall, evidence, classes)[0].value);
    expect(kept.statement).toContain(`have their class (2.0% ${words}), from 500 held-out rows`);
    expect(describeSets(few, classes)).toContain(`on average. 2.0% ${words}.`);
    const many = { ...overall, level: 0.8, unknown: { rows: 50, of: 550 } };
    const [less] = coverageCertificates(many, evidence, classes);
    expect(less.value).toBeCloseTo(
      (1 - largestProbability(50, 550, 0.95 * 0.05)) * (1 - largestProbability(16, 500, 0.05 * 0.05)),
      12,
    );
    expect(less.statement).toContain(`(9.1% ${words}), from 550 held-out rows`);
    expect(describeSets(many, classes)).toMatch(
      new RegExp(`^9.1% ${words}. 550 held-out rows cannot certify 95%. What they can: with 95% confidence`),
    );
    const each = { ...many, level: 0.95, perClass: true, limits: [...limits, ...limits] };
    expect(describeSets(each, classes)).toMatch(
      new RegExp(`95% of new cases of every class with training rows. .* 9.1% ${words}.$`),
    );
  });

  it("are one for each class, with a sentence for those that are always in the set", () => {
    const perClass = {
      ...overall,
      perClass: true,
      limits: [...limits, { probability: 0, rows: 20, misses: 0 }],
    };
    const [first, second] = coverageCertificates(perClass, evidence, classes);
    expect(first).toMatchObject({ class: "a", value: 1 - largestProbability(16, 500, 0.05) });
    expect(first.statement).toContain(
      'that are of class "a" have their class, from 500 held-out rows of the class',
    );
    expect(second).toMatchObject({ class: "b", value: 1 });
    expect(second.statement).toContain('every set has the class "b"');
    expect(describeSets(perClass, classes)).toContain('Every set has "b"');
  });

  it("count rows that the limits were fixed before", () => {
    const probabilities = Matrix.from([
      [0.8, 0.2],
      [0.5, 0.5],
      [0.1, 0.9],
      [0.9, 0.1],
    ]);
    const labels = Int32Array.of(0, 1, 0, -1);
    expect(countCoverage(overall, { probabilities, labels })).toEqual([{ rows: 4, misses: 2 }]);
    const perClass = { perClass: true, limits: [...limits, { probability: 0.6, rows: 90, misses: 1 }] };
    const counted = countCoverage(perClass, { probabilities, labels });
    expect(counted).toEqual([
      { class: 0, rows: 2, misses: 1 },
      { class: 1, rows: 1, misses: 1 },
    ]);
    const [a] = testedCoverageCertificates(counted, evidence, classes);
    expect(a.premises).toHaveLength(3);
    expect(a).toMatchObject({ class: "a", value: 1 - largestProbability(1, 2, 0.05) });
    const groups = Int32Array.of(1, 1, 2, 2);
    const [byGroup] = countCoverage(overall, { probabilities, labels, groups });
    expect([...(byGroup.groups ?? [])]).toEqual([1, 0]);
    const ofGroups = { ...evidence, groups: [{ rows: 2, errors: 0, groups: 2 }] };
    expect(testedCoverageCertificates([byGroup], ofGroups, classes)[0]).toMatchObject({ holds: true });
    expect(testedCoverageCertificates([{ rows: 4, misses: 2 }], ofGroups, classes)[0]).toMatchObject({
      holds: false,
    });
  });
});

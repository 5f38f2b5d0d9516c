import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  adaBoostFinite,
  adaBoostVc,
  adaBoostVcPenalty,
  stumpCertificates,
  stumpCommitteeCertificates,
  trainingErrorBounds,
  treeCommitteeCertificates,
} from "#core/theory/boosting/boosting.js";
import { marginVc } from "#core/theory/margins/margin-bounds.js";
import { growthFunctionExact } from "#core/theory/vc/growth-function.js";
import {
  logCommitteeGrowth,
  logStumpGrowth,
  logTreeCommitteeGrowth,
} from "#core/theory/vc/growth-of-families.js";
import { vcBound } from "#core/theory/vc/vc-bound.js";
import { stumpVcDimension, treeVcDimension } from "#core/theory/vc/vc-dimension.js";

const usual = { rows: 600, errors: 30, confidence: 0.95 };

describe("the training error of AdaBoost (Triviño 2017, Theorem 3.1)", () => {
  it("is at most ∏ √(1 − 4γ²) for two classes", () => {
    // γ = 0.3 and 0.1: √(1 − 0.36) = 0.8, √(1 − 0.04) = 0.979796.
    const [first, second] = trainingErrorBounds([0.2, 0.4], 2);
    expect(first).toBeCloseTo(0.8, 14);
    expect(second).toBeCloseTo(0.8 * 0.9797958971132712, 14);
    expect([...trainingErrorBounds([0.3, 0], 2)][1]).toBe(0);
  });

  it("is at most ∏ K·√(ε(1 − ε) / (K − 1)) for K classes, which chance does not lower", () => {
    expect(trainingErrorBounds([0.5], 3)[0]).toBeCloseTo(3 * Math.sqrt(0.125), 14);
    for (const K of [2, 3, 10]) expect(trainingErrorBounds([1 - 1 / K], K)[0]).toBeCloseTo(1, 14);
  });
});

describe("AdaBoost (Triviño 2017, eqs. 3.10 and 3.11)", () => {
  it("is the formula by hand for a finite class, eq. 3.10", () => {
    const { value } = adaBoostFinite({ ...usual, rounds: 10, logSize: Math.log(50) });
    const inner = 10 * Math.log((Math.E * 600 * 50) / 10) + Math.log(160);
    expect(value).toBeCloseTo(0.05 + Math.sqrt((32 * inner) / 600), 12);
  });

  it("is the formula by hand for a VC dimension, eq. 3.11, listed for comparison", () => {
    const votes = Math.log((Math.E * 600) / 10);
    const stumps = 7 * Math.log((Math.E * 600) / 7);
    const certificate = adaBoostVc({ ...usual, rounds: 10, vcDimension: 7 });
    expect(certificate.value).toBeCloseTo(
      0.05 + Math.sqrt((32 * (10 * (votes + stumps) + Math.log(160))) / 600),
      12,
    );
    expect(certificate.holds).toBe(true);
    expect(certificate.reason).toContain("vacuous");
    expect(certificate.role).toBe("comparison");
  });

  it("is infinite for fewer rows than rounds or dimensions, and says why", () => {
    for (const certificate of [
      adaBoostFinite({ rows: 10, errors: 0, confidence: 0.95, rounds: 11, logSize: 1 }),
      adaBoostVc({ rows: 10, errors: 0, confidence: 0.95, rounds: 11, vcDimension: 3 }),
      adaBoostVc({ rows: 10, errors: 0, confidence: 0.95, rounds: 3, vcDimension: 11 }),
    ]) {
      expect(certificate.value).toBe(Number.POSITIVE_INFINITY);
      expect(certificate.holds).toBe(false);
      expect(certificate.reason).toMatch(/label them in every way/);
      expect(Object.values(certificate.terms)).not.toContain(Number.NaN);
    }
  });

  it.each([0, 1.5, Number.NaN])("rejects %d rounds", (rounds) => {
    expect(() => adaBoostVc({ ...usual, rounds, vcDimension: 7 })).toThrowError(VouchError);
    expect(() => adaBoostFinite({ ...usual, rounds, logSize: 1 })).toThrowError(VouchError);
  });
});

describe("Table 5.1: no training errors, stumps on 12 features, δ = 0.05", () => {
  const sizes = [600, 6000, 60_000];
  const penalties = (rounds: number, reading: "equation" | "table") =>
    sizes.map((rows) =>
      Number(
        adaBoostVcPenalty({ rows, rounds, vcDimension: stumpVcDimension(12) }, 0.05, reading).toFixed(4),
      ),
    );

  it.each([
    [10, [4.3671, 1.6999, 0.6223]],
    [50, [9.4859, 3.7297, 1.372]],
    [100, [13.2664, 5.2368, 1.93]],
  ])("T = %d as printed, which is with m for em", (rounds, printed) => {
    expect(penalties(rounds, "table")).toEqual(printed);
  });

  it.each([
    [10, [4.831, 1.8211, 0.6556]],
    [50, [10.5506, 4.0055, 1.4476]],
    [100, [14.7873, 5.6295, 2.0375]],
  ])("T = %d by eq. 3.11 itself", (rounds, byEquation) => {
    // Independently: √(32 (T (1 + ln(m/T) + 7 + 7 ln(m/7)) + ln 160) / m).
    const byHand = sizes.map((m) => {
      const inner = rounds * (8 + Math.log(m / rounds) + 7 * Math.log(m / 7)) + Math.log(160);
      return Number(Math.sqrt((32 * inner) / m).toFixed(4));
    });
    expect(byHand).toEqual(byEquation);
    expect(penalties(rounds, "equation")).toEqual(byEquation);
  });
});

describe("certificates of stumps and committees", () => {
  const margins = Array.from({ length: 101 }, (_, i) => i / 50 - 1);

  it("of a stump are by its growth function and, for two classes, by its VC dimension", () => {
    const facts = { ...usual, features: 4 };
    const logGrowth = (points: number) => logStumpGrowth(points, 4);
    expect(stumpCertificates({ ...facts, classes: 2 })).toEqual([
      growthFunctionExact({ ...usual, logGrowth }),
      vcBound({ ...usual, vcDimension: stumpVcDimension(4) }),
    ]);
    expect(stumpCertificates({ ...facts, classes: 3 })).toHaveLength(1);
  });

  it("of J different stumps take the share 1/((J + 1)(J + 2)) of δ; these sum to one", () => {
    const committee = { ...usual, margins, rounds: 10, vcDimension: stumpVcDimension(4) };
    const certificates = stumpCommitteeCertificates({ ...committee, features: 4, classes: 2, stumps: 6 });
    expect(certificates).toEqual([
      growthFunctionExact({
        ...usual,
        logGrowth: (points) => logCommitteeGrowth(points, 4, 6),
        logChoices: Math.log(7 * 8),
      }),
      adaBoostVc(committee),
      marginVc(committee),
    ]);
    let sum = 0;
    for (let J = 0; J < 1e5; J++) sum += 1 / ((J + 1) * (J + 2));
    expect(sum).toBeCloseTo(1, 4);
  });

  it("of T trees take the share 1/(T(T + 1)) of δ", () => {
    const family = { features: 4, leaves: 8, classes: 2 };
    const committee = { ...usual, margins, rounds: 3, vcDimension: treeVcDimension(4, 8) };
    expect(treeCommitteeCertificates({ ...committee, ...family })).toEqual([
      growthFunctionExact({
        ...usual,
        logGrowth: (points) => logTreeCommitteeGrowth(points, 3, family),
        logChoices: Math.log(3 * 4),
      }),
      adaBoostVc(committee),
      marginVc(committee),
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { type Certificate, chooseBest } from "#core/theory/certificate.js";
import { heldOutBinomial } from "#core/theory/held-out/held-out.js";
import { certify } from "#core/train/certify.js";

function certificate(name: string, value: number, holds: boolean, confidence: number): Certificate {
  return {
    name,
    measure: "error",
    reference: "",
    value,
    confidence,
    holds,
    premises: [],
    terms: {},
    statement: name,
  };
}

function forComparison(name: string, value: number, confidence: number): Certificate {
  return { ...certificate(name, value, true, confidence), role: "comparison" };
}

/** A model whose bounds grow a little with the confidence, as bounds do. */
const model = {
  certificates: ({ confidence }: { confidence: number }) => [
    certificate("objective", 0.001, false, confidence),
    certificate("loose", confidence, true, confidence),
    certificate("tight", 0.01 * confidence, true, confidence),
    forComparison("textbook", 2, confidence),
  ],
};
const card = { heldOut: { rows: 200, errors: 4 } };

describe("certify", () => {
  it("quotes the held-out certificate, then lists those that hold by value, then the others", () => {
    const certificates = certify({ card, model }, { confidence: 0.9 });
    expect(certificates.map(({ name }) => name)).toEqual([
      "held-out-binomial",
      "tight",
      "best-of",
      "held-out-hoeffding",
      "loose",
      "textbook",
      "objective",
    ]);
    expect(new Set(certificates.map(({ confidence }) => confidence))).toEqual(new Set([0.9]));
  });

  it("quotes the best of several without an informative held-out certificate", () => {
    const without = certify({ card: {}, model }, { confidence: 0.9 });
    expect(without[0].name).toBe("best-of");
    expect(without).toHaveLength(5);
    for (const heldOut of [
      { rows: 0, errors: 0 },
      { rows: 200, errors: 4, dependence: "These rows were training rows." },
    ]) {
      expect(certify({ card, model }, { confidence: 0.9, heldOut })[0].name).toBe("best-of");
    }
    // Ten held-out rows, all misclassified, contradict a bound from the training rows.
    const heldOut = { rows: 10, errors: 10 };
    expect(certify({ card, model }, { confidence: 0.9, heldOut })[0].name).toBe("held-out-binomial");
  });

  it("lists none without held-out rows and proofs, and no best-of for a single candidate", () => {
    expect(certify({ card: {}, model: {} }, { confidence: 0.9 })).toEqual([]);
    expect(certify({ card: {} }, { confidence: 0.9 })).toEqual([]);
    const one = certify({ card }, { confidence: 0.9 });
    expect(one.map(({ name }) => name)).toEqual(["held-out-binomial", "held-out-hoeffding"]);
    expect(one[0].value).toBeLessThan(one[1].value);
  });

  it("prefers a result on other rows, and checks the confidence", () => {
    const [first] = certify({ card }, { heldOut: { rows: 1000, errors: 10 } });
    expect(first.terms).toEqual({ errors: 10, rows: 1000, delta: 0.05 });
    expect(() => certify({ card }, { confidence: 1.2 })).toThrowError("1.2");
  });

  it("divides δ among the candidates if the training rows chose the learner", () => {
    const one = {
      certificates: ({ confidence }: { confidence: number }) => [
        certificate("a", 0.1 * confidence, true, confidence),
      ],
    };
    const stated = {
      certificates: ({ confidence }: { confidence: number }) => [
        { ...certificate("a", 0.1, true, confidence), statement: `With ${100 * confidence}% confidence …` },
      ],
    };
    const [{ statement }] = certify({ card: { choice: { among: 5 } }, model: stated }, { confidence: 0.9 });
    expect(statement).toBe("With 90% confidence …");
    const after = (choice: { among: number; certifiable?: number }) =>
      certify({ card: { choice }, model: one }, { confidence: 0.9 })[0];
    const chosen = after({ among: 5 });
    expect(chosen).toMatchObject({ name: "a", confidence: 0.9 });
    expect(chosen.value).toBeCloseTo(0.1 * (1 - 0.1 / 5), 12);
    expect(chosen.terms).toMatchObject({ "candidates with a share of δ": 5 });
    expect(chosen.premises.at(-1)?.text).toContain("each of the 5 that may have such a certificate");
    // Candidates without certificates get no share, and if this is the only one with a certificate, it has all of δ.
    expect(after({ among: 5, certifiable: 2 }).value).toBeCloseTo(0.1 * (1 - 0.1 / 2), 12);
    expect(after({ among: 5, certifiable: 1 })).toEqual(
      certify({ card: {}, model: one }, { confidence: 0.9 })[0],
    );
    expect(after({ among: 5, certifiable: 0 })).toEqual(after({ among: 1 }));
  });
});

describe("best-of", () => {
  it("is the smallest of the candidates at an equal share of δ each, without those for comparison", () => {
    const [, , best] = certify({ card, model }, { confidence: 0.9 });
    // Candidates: held-out-binomial, objective, loose, tight; δ/4 = 0.025 each.
    expect(best.terms).toEqual({ candidates: 4, "δ of each": 0.025, tight: 0.01 * 0.975 });
    expect(best.value).toBe(0.01 * 0.975);
    expect(best.statement).toBe(
      "With 90% confidence at most 0.98% of new cases like these are misclassified (tight, the smallest of 4 bounds).",
    );
  });

  it("is the held-out bound at its share of δ if that is the smallest", () => {
    const poor = {
      certificates: ({ confidence }: { confidence: number }) => [certificate("loose", 0.9, true, confidence)],
    };
    const certificates = certify({ card, model: poor }, { confidence: 0.95 });
    const best = certificates.find(({ name }) => name === "best-of");
    expect(best?.value).toBe(heldOutBinomial({ ...card.heldOut, confidence: 0.975 }).value);
    expect(best?.confidence).toBe(0.95);
  });

  it("says why there is no promise if no candidate makes one", () => {
    const vacuous = {
      ...certificate("a", 1.2, true, 0.975),
      reason: "Too few.",
      statement: "No guarantee: Too few.",
    };
    const failing = certificate("b", 0.1, false, 0.975);
    expect(chooseBest([vacuous, failing], 0.95)).toMatchObject({
      value: 1.2,
      reason: "Too few.",
      statement: "No guarantee: Too few.",
    });
    expect(chooseBest([failing], 0.95).holds).toBe(false);
  });
});

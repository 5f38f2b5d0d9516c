import { describe, expect, it } from "vitest";
import { bestOf, type Certificate } from "#vouch/theory/certificate.js";
import { heldOutBinomial } from "#vouch/theory/held-out/held-out.js";
import { certify } from "#vouch/train/certify.js";

function certificate(name: string, value: number, holds: boolean, confidence: number): Certificate {
  return { name, reference: "", value, confidence, holds, premises: [], terms: {}, statement: name };
}

/** A model whose bounds grow a little with the confidence, as bounds do. */
const model = {
  certificates: ({ confidence }: { confidence: number }) => [
    certificate("objective", 0.001, false, confidence),
    certificate("loose", confidence, true, confidence),
    certificate("tight", 0.01 * confidence, true, confidence),
    certificate("vc", 2, true, confidence),
  ],
};
const card = { heldOut: { rows: 200, errors: 4 } };

describe("certify", () => {
  it("quotes the held-out certificate, then lists those that hold, the smallest first, then the others", () => {
    const certificates = certify({ card, model }, { confidence: 0.9 });
    expect(certificates.map(({ name }) => name)).toEqual([
      "held-out-binomial",
      "tight",
      "best-of",
      "held-out-hoeffding",
      "loose",
      "vc",
      "objective",
    ]);
    expect(new Set(certificates.map(({ confidence }) => confidence))).toEqual(new Set([0.9]));
  });

  it("quotes the best of several without held-out rows, or if these are not informative", () => {
    const without = certify({ card: {}, model }, { confidence: 0.9 });
    expect(without[0].name).toBe("best-of");
    expect(without).toHaveLength(5);
    for (const heldOut of [
      { rows: 2, errors: 2 },
      { rows: 200, errors: 4, dependence: "These rows were training rows." },
    ]) {
      expect(certify({ card, model }, { confidence: 0.9, heldOut })[0].name).toBe("best-of");
    }
  });

  it("gives none without held-out rows and proofs, and a single one as it is", () => {
    expect(certify({ card: {}, model: {} }, { confidence: 0.9 })).toEqual([]);
    expect(certify({ card: {} }, { confidence: 0.9 })).toEqual([]);
    const one = certify({ card }, { confidence: 0.9 });
    expect(one.map(({ name }) => name)).toEqual(["held-out-binomial", "held-out-hoeffding"]);
  });
});

describe("best-of", () => {
  it("is the smallest of the candidates at an equal share of δ each; certificates for comparison do not count", () => {
    const [, , best] = certify({ card, model }, { confidence: 0.9 });
    // Candidates: held-out-binomial, objective, loose, tight; δ/4 = 0.025 each.
    expect(best.terms).toEqual({ candidates: 4, "δ of each": 0.025, tight: 0.01 * 0.975 });
    expect(best.value).toBe(0.01 * 0.975);
    expect(best.statement).toBe(
      "With 90 % confidence at most 0.98 % of new cases like these are misclassified: the best of 4 bounds, tight.",
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

  it("gives the reason if no candidate is informative", () => {
    const vacuous = {
      ...certificate("a", 1.2, true, 0.975),
      reason: "Too few.",
      statement: "No guarantee: Too few.",
    };
    const failing = certificate("b", 0.1, false, 0.975);
    expect(bestOf([vacuous, failing], 0.95)).toMatchObject({
      value: 1.2,
      reason: "Too few.",
      statement: "No guarantee: Too few.",
    });
    expect(bestOf([failing], 0.95).holds).toBe(false);
  });
});

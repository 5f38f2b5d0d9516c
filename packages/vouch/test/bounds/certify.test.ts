import { expect, it } from "vitest";
import type { Certificate } from "#vouch/bounds/certificate.js";
import { certify } from "#vouch/bounds/certify.js";

function certificate(name: string, value: number, holds: boolean, confidence: number): Certificate {
  return { name, reference: "", value, confidence, holds, premises: [], terms: {}, statement: "" };
}

const model = {
  certificates: ({ confidence }: { confidence: number }) => [
    certificate("objective", 0.001, false, confidence),
    certificate("loose", 0.9, true, confidence),
    certificate("tight", 0.01, true, confidence),
  ],
};

it("adds what the model proves from its training to the held-out certificates, those that hold first", () => {
  const certificates = certify({ card: { heldOut: { rows: 200, errors: 4 } }, model }, { confidence: 0.9 });
  expect(certificates.map(({ name }) => name)).toEqual([
    "tight",
    "held-out-binomial",
    "held-out-hoeffding",
    "loose",
    "objective",
  ]);
  expect(certificates.map(({ confidence }) => confidence)).toEqual([0.9, 0.9, 0.9, 0.9, 0.9]);
});

it("has the model's certificates without held-out rows, and none where there is neither", () => {
  expect(certify({ card: {}, model }, { confidence: 0.9 })).toHaveLength(3);
  expect(certify({ card: {}, model: {} }, { confidence: 0.9 })).toEqual([]);
  expect(certify({ card: {} }, { confidence: 0.9 })).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import type { Certificate, Premise } from "#core/theory/certificate.js";
import {
  kernelMachineCertificates,
  sampleCompression,
  unionOfMachines,
} from "#core/theory/compression/sample-compression.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { heldOutBinomial } from "#core/theory/held-out/held-out.js";

describe("sample compression", () => {
  const premises: Premise[] = [{ text: "They determine it.", status: "checked" }];

  it("is the binomial tail at δ/(m C(m, d) M), by hand", () => {
    const { value, terms } = sampleCompression({
      rows: 100,
      kept: 2,
      errors: 3,
      logMessages: Math.log(8),
      confidence: 0.95,
      premises,
    });
    expect(binomialAtMost(3, 98, value)).toBeCloseTo(0.05 / (100 * 4950 * 8), 15);
    expect(terms).toMatchObject({ "other rows": 98, "rows that determine it": 2, delta: 0.05 });
    const none = sampleCompression({ rows: 600, kept: 75, errors: 0, confidence: 0.95, premises });
    let logSubsets = 0;
    for (let i = 1; i <= 75; i++) logSubsets += Math.log((525 + i) / i);
    expect(none.value).toBeCloseTo(1 - Math.exp(-(Math.log(600 / 0.05) + logSubsets) / 525), 12);
    expect(none.value).toBeLessThan(0.4);
  });

  it("is the held-out bound at δ/m for an empty compression set", () => {
    const { value } = sampleCompression({ rows: 200, kept: 0, errors: 9, confidence: 0.95, premises });
    expect(value).toBeCloseTo(
      heldOutBinomial({ rows: 200, errors: 9, confidence: 1 - 0.05 / 200 }).value,
      10,
    );
  });

  it("is vacuous if all rows are kept", () => {
    const all = sampleCompression({ rows: 10, kept: 10, errors: 0, confidence: 0.95, premises });
    expect(all.value).toBe(1);
    expect(all.reason).toContain("vacuous");
  });

  it("does not hold if the rows do not determine the classifier", () => {
    const failing = [{ text: "They determine it.", status: "violated" as const }];
    const fault = "They do not.";
    const evidence = { rows: 10, kept: 1, errors: 0, confidence: 0.95, premises: failing, fault };
    expect(sampleCompression(evidence)).toMatchObject({
      holds: false,
      reason: fault,
      statement: `No guarantee: ${fault}`,
    });
  });

  it("rejects impossible counts", () => {
    for (const [kept, errors] of [
      [11, 0],
      [8, 3],
      [0.5, 0],
    ]) {
      expect(() => sampleCompression({ rows: 10, kept, errors, confidence: 0.95, premises })).toThrowError(
        VouchError,
      );
    }
  });

  it("works for tails below the smallest number", () => {
    const evidence = { rows: 32_561, kept: 11_700, errors: 5, confidence: 0.95, premises };
    const { value } = sampleCompression(evidence);
    expect(value).toBeGreaterThan(0.5);
    expect(value).toBeLessThan(0.8);
  });
});

describe("certificates of kernel machines", () => {
  const facts = {
    rows: 500,
    errors: 10,
    confidence: 0.95,
    kept: 60,
    otherErrors: 0,
    messages: 1,
    determined: { text: "They determine it.", status: "checked" as const },
  };
  const names = (certificates: readonly Certificate[]) => certificates.map(({ name }) => name);

  it("are by support vectors, and by dimension if that is finite", () => {
    const linear = kernelMachineCertificates({ ...facts, dimension: 10 });
    expect(names(linear)).toEqual(["compression", "growth-function-exact", "vc"]);
    const rbf = kernelMachineCertificates({ ...facts, dimension: Number.POSITIVE_INFINITY });
    expect(names(rbf)).toEqual(["compression"]);
    expect(rbf[0]).toEqual(linear[0]);
    const several = kernelMachineCertificates({ ...facts, dimension: 10, machines: 3 });
    expect(names(several)).toEqual(["compression", "growth-function-exact"]);
    expect(several[1].value).toBeGreaterThan(linear[1].value);
    expect(kernelMachineCertificates({ ...facts, dimension: 10, messages: 501 })[0].value).toBeGreaterThan(
      linear[0].value,
    );
  });
});

describe("union of machines", () => {
  /** A machine with bounds from 50 errors on 1,000 held-out rows, the second looser than the first. */
  const machine = ({ confidence }: { readonly confidence: number }) => [
    heldOutBinomial({ rows: 1000, errors: 50, confidence }),
    { ...heldOutBinomial({ rows: 1000, errors: 90, confidence }), name: "looser" },
  ];
  const evidence = {
    rows: 1000,
    confidence: 0.9,
    machines: [machine, machine, machine],
    errorBound: (errors: readonly number[]) => errors.reduce((a, b) => a + b),
    reasoning: "the sum of their errors",
  };

  it("combines the smallest bound of each of n machines with c certificates at δ/(n·c) each", () => {
    const each = heldOutBinomial({ rows: 1000, errors: 50, confidence: 1 - 0.1 / (3 * 2) }).value;
    const union = unionOfMachines(evidence);
    expect(union?.value).toBeCloseTo(3 * each, 12);
    expect(union).toMatchObject({ name: "union-of-machines", confidence: 0.9, holds: true });
    expect(union?.reference).toBe("union bound over 3 machines: the sum of their errors");
    // The known classes, and the premises of the machines once.
    expect(union?.premises).toHaveLength(4);
  });

  it("gives bounds for comparison no share of δ", () => {
    const compared = (options: { readonly confidence: number }) => [
      ...machine(options),
      { ...machine(options)[0], value: 0, role: "comparison" as const },
    ];
    expect(unionOfMachines({ ...evidence, machines: [compared, compared, compared] })).toEqual(
      unionOfMachines(evidence),
    );
  });

  it("is undefined if a machine has no certificate that holds, or if the bound is not below 1", () => {
    const failing = () => machine({ confidence: 0.9 }).map((each) => ({ ...each, holds: false }));
    expect(unionOfMachines({ ...evidence, machines: [machine, () => []] })).toBeUndefined();
    expect(unionOfMachines({ ...evidence, machines: [machine, failing] })).toBeUndefined();
    expect(unionOfMachines({ ...evidence, errorBound: () => 1 })).toBeUndefined();
  });
});

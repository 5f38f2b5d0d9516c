import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Kernel } from "#core/learners/kernel/kernel.js";
import { rowValues } from "#core/learners/kernel/kernel-features.js";
import {
  type LibsvmModel,
  libsvmLine,
  readLibsvmModel,
  writeLibsvmModel,
} from "#core/learners/svm/libsvm-format.js";
import { Matrix } from "#core/runtime/maths/matrix.js";

const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const positive = fc.double({ min: 1e-300, max: 1e300, noNaN: true });
const numbers = (count: number) => fc.array(number, { minLength: count, maxLength: count });

const kernels: fc.Arbitrary<Kernel> = fc.oneof(
  fc.constant({ kind: "linear" as const }),
  fc.record({ kind: fc.constant("rbf" as const), gamma: positive }),
  fc.record({
    kind: fc.constant("polynomial" as const),
    degree: fc.integer({ min: 0, max: 9 }),
    scale: positive,
  }),
  fc.record({
    kind: fc.constant("polynomial" as const),
    degree: fc.integer({ min: 0, max: 9 }),
    scale: positive,
    offset: number.filter((offset) => offset !== 1),
  }),
);

/** Any model whose last feature is not 0 everywhere, so that the file tells how many there are. */
const models: fc.Arbitrary<LibsvmModel> = fc
  .record({
    classes: fc.integer({ min: 2, max: 5 }),
    features: fc.integer({ min: 1, max: 6 }),
    vectors: fc.integer({ min: 1, max: 7 }),
  })
  .chain(({ classes, features, vectors }) => {
    const pairs = (classes * (classes - 1)) / 2;
    return fc.record({
      kernel: kernels,
      labels: fc.uniqueArray(fc.integer(), { minLength: classes, maxLength: classes }),
      supportVectors: numbers(vectors * features)
        .map((values) => Float64Array.from(values, (value) => value + 0))
        .filter((values) => values[values.length - 1] !== 0)
        .map((values) => new Matrix(vectors, features, values)),
      counts: fc
        .array(fc.nat(classes - 1), { minLength: vectors, maxLength: vectors })
        .map((owners) =>
          Int32Array.from({ length: classes }, (_, k) => owners.filter((own) => own === k).length),
        ),
      coefficients: numbers(vectors * (classes - 1)).map(
        (values) =>
          new Matrix(
            vectors,
            classes - 1,
            Float64Array.from(values, (value) => value + 0),
          ),
      ),
      biases: numbers(pairs).map((values) => Float64Array.from(values, (value) => value + 0)),
      sigmoids: fc.array(fc.record({ A: number, B: number }), { minLength: pairs, maxLength: pairs }),
    });
  });

/** −0 is written as 0. */
const withoutNegativeZeros = (model: LibsvmModel): unknown =>
  JSON.parse(JSON.stringify(model), (_, value) => (value === 0 ? 0 : value));

test("a written model is read back to the last bit", () => {
  fc.assert(
    fc.property(models, fc.boolean(), (model, probability) => {
      const { sigmoids, ...plain } = model;
      const written = probability ? model : plain;
      const read = readLibsvmModel(writeLibsvmModel(written), "any.model");
      expect(withoutNegativeZeros(read)).toEqual(withoutNegativeZeros(written));
    }),
    { numRuns: 300 },
  );
});

const EXAMPLE = `svm_type c_svc
kernel_type polynomial
degree 3
gamma 0.25
coef0 0
nr_class 2
total_sv 3
rho -0.5
label 1 -1
nr_sv 1 2
SV
1.5 1:1 3:-0.5 
-1 2:2e-3 
-0.5 
`;

describe("a model file by hand", () => {
  test("has the meaning that it has for LIBSVM", () => {
    const model = readLibsvmModel(EXAMPLE, "hand.model");
    expect(model.kernel).toEqual({ kind: "polynomial", degree: 3, scale: 0.25, offset: 0 });
    expect(model.labels).toEqual([1, -1]);
    expect([...model.counts]).toEqual([1, 2]);
    expect([...model.biases]).toEqual([0.5]);
    expect([...model.coefficients.values]).toEqual([1.5, -1, -0.5]);
    expect([...model.supportVectors.values]).toEqual([1, 0, -0.5, 0, 0.002, 0, 0, 0, 0]);
  });

  test("may have Windows line ends, and features that no support vector has", () => {
    const model = readLibsvmModel(EXAMPLE.replaceAll("\n", "\r\n"), "hand.model", 5);
    expect(model.supportVectors.columns).toBe(5);
    expect([...rowValues(model.supportVectors, 0)]).toEqual([1, 0, -0.5, 0, 0]);
  });
});

test("a kernel that LIBSVM lacks is an error", () => {
  const model = { ...readLibsvmModel(EXAMPLE, "hand.model"), kernel: { kind: "intersection" as const } };
  expect(() => writeLibsvmModel(model)).toThrow(
    expect.objectContaining({ code: "learner/unsupported", message: "LIBSVM has no intersection kernel." }),
  );
});

test("data lines leave out zeros", () => {
  expect(libsvmLine(-1, new Matrix(1, 4, Float64Array.of(0, 0.1, 0, 1e-300)), 0)).toBe("-1 2:0.1 4:1e-300");
  expect(libsvmLine(2, new Matrix(1, 2), 0)).toBe("2");
});

describe("a file that is not a LIBSVM classifier is an error with name and line", () => {
  const cases: [what: string, text: string, code: string, message: RegExp | string][] = [
    ["empty", "", "file/format", "m is not a LIBSVM model file."],
    ["data", "+1 1:0.5 2:1\n", "file/format", "m is not a LIBSVM model file."],
    ["regression", EXAMPLE.replace("c_svc", "epsilon_svr"), "learner/unsupported", /epsilon_svr/],
    ["sigmoid kernel", EXAMPLE.replace("polynomial", "sigmoid"), "learner/unsupported", /kernel sigmoid/],
    ["precomputed", EXAMPLE.replace("polynomial", "precomputed"), "learner/unsupported", /precomputed/],
    ["no gamma", EXAMPLE.replace("gamma 0.25\n", ""), "file/format", "m has no gamma."],
    ["infinite gamma", EXAMPLE.replace("0.25", "1e999"), "file/format", /^m, line 4: "1e999"/],
    ["negative gamma", EXAMPLE.replace("0.25", "-1"), "file/format", /^m, line 4: gamma/],
    [
      "fractional degree",
      EXAMPLE.replace("degree 3", "degree 3.5"),
      "file/format",
      /^m, line 3: degree is 3.5/,
    ],
    ["huge degree", EXAMPLE.replace("degree 3", "degree 9999"), "file/format", /^m, line 3: degree is 9999/],
    ["one class", EXAMPLE.replace("nr_class 2", "nr_class 1"), "file/format", /^m, line 6: nr_class is 1/],
    [
      "two rhos",
      EXAMPLE.replace("rho -0.5", "rho 1 2"),
      "file/format",
      /^m, line 8: rho has 2 numbers, expected 1/,
    ],
    ["equal labels", EXAMPLE.replace("label 1 -1", "label 1 1"), "file/format", /^m, line 9: label/],
    ["wrong counts", EXAMPLE.replace("nr_sv 1 2", "nr_sv 2 2"), "file/format", /^m, line 10: nr_sv/],
    ["cut off", EXAMPLE.replace("-0.5 \n", ""), "file/format", "m has 2 support vectors, but total_sv is 3."],
    ["no body", EXAMPLE.slice(0, EXAMPLE.indexOf("SV\n")), "file/format", "m is not a LIBSVM model file."],
    ["bad cell", EXAMPLE.replace("2:2e-3", "2=3"), "file/format", /^m, line 13: "2=3" is not index:value/],
    ["index 0", EXAMPLE.replace("2:2e-3", "0:1"), "file/format", /^m, line 13/],
    ["bad value", EXAMPLE.replace("2:2e-3", "2:nan"), "file/format", /^m, line 13: "nan"/],
    ["huge index", EXAMPLE.replace("2:2e-3", "2000000000:1"), "data/too-large", /2000000000 features/],
    ["half a sigmoid", EXAMPLE.replace("nr_sv", "probA 1\nnr_sv"), "file/format", "m has no probB."],
  ];
  test.each(cases)("%s", (_, text, code, message) => {
    expect(() => readLibsvmModel(text, "m")).toThrow(
      expect.objectContaining({
        code,
        message: typeof message === "string" ? message : expect.stringMatching(message),
      }),
    );
  });
});

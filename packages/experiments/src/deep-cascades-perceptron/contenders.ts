import { deepCascadePerceptron, fitEachGamma, type Model, perceptron } from "vouch";
import type { Matrix, Sample } from "vouch/learning";
import { fitPolynomialSvm, paperDegrees, polynomialSvms } from "../polynomial-svm.js";

/** What the report compares, its cascade twice: as its program had it, and as its equations have it. */
export const contenderNames = [
  "cascade, as they ran it",
  "cascade, as the equations",
  "SVM",
  "perceptron",
] as const;

/** One of `contenderNames`. */
export type ContenderName = (typeof contenderNames)[number];

/** Trains a model for each value of what cross-validation chooses; of equally good ones it takes the first. */
export type Contender = (sample: Sample) => Promise<readonly Model<Matrix>[]>;

const GRID = { maxDepth: 4, fractions: [0.2, 0.4, 0.6, 0.8], gammas: [1e-3, 1e-2, 1e-1, 1], passes: 4 };

/** The authors' program: non-decreasing degrees, two levels at least, a strict gate, local VC complexities. */
const asTheyRanIt = deepCascadePerceptron({
  ...GRID,
  minDepth: 2,
  nonDecreasing: true,
  gate: "strict",
  complexity: "vc-local",
});

const asTheEquations = deepCascadePerceptron(GRID);

/** All contenders. Large gammas come first: ties go to the strongest preference for simple cascades. */
export const contenders: Readonly<Record<ContenderName, Contender>> = {
  "cascade, as they ran it": async (sample) => (await fitEachGamma(asTheyRanIt, sample)).toReversed(),
  "cascade, as the equations": async (sample) => (await fitEachGamma(asTheEquations, sample)).toReversed(),
  SVM: (sample) => inTurn(polynomialSvms("1/d"), (machine) => fitPolynomialSvm(machine, sample)),
  perceptron: (sample) => inTurn(paperDegrees, (degree) => perceptron({ degree, passes: 4 }).fit(sample)),
};

async function inTurn<Input, Output>(
  inputs: readonly Input[],
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  for (const input of inputs) outputs.push(await work(input));
  return outputs;
}

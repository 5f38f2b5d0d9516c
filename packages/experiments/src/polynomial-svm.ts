import type { Sample } from "@vouch/core/internal/encode/sample";
import { type SvmModel, svm } from "@vouch/core/internal/learners/svm/svm";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";

/** An SVM with the kernel (1 + scale·x·y)^degree. */
export interface PolynomialSvm {
  readonly degree: number;
  readonly C: number;
  readonly scale: "none" | "1/d";
}

/** Degrees and values of C in the papers, which are the defaults of the cascade learners. */
export const paperDegrees: readonly number[] = [1, 2, 3, 4];
const paperCs: readonly number[] = [1e-3, 1e-2, 1e-1, 1, 10, 100];

/** Limit of solver steps; large C on unscaled kernels of degree 4 takes millions of them without benefit. */
export const MOST_STEPS = 100_000;

/** Lists all SVMs with these degrees and values of C, simplest first: low degrees, then small C. */
export function polynomialSvms(
  scale: PolynomialSvm["scale"],
  degrees = paperDegrees,
  Cs = paperCs,
): PolynomialSvm[] {
  return degrees.flatMap((degree) => Cs.map((C) => ({ degree, C, scale })));
}

export function fitPolynomialSvm(
  { degree, C, scale }: PolynomialSvm,
  sample: Sample,
  run?: Partial<Run>,
): Promise<SvmModel> {
  const options = { degree, C, scale: scale === "none" ? 1 : scale, maxIterations: MOST_STEPS };
  return svm({ kernel: "polynomial", ...options }).fit(sample, run);
}

import { vcComplexity, vcLocalComplexity } from "../bounds/vc-complexity.js";
import { polynomialVcDimension } from "../bounds/vc-dimension-polynomial.js";
import type { ComplexityMeasure } from "./search.js";

/**
 * The complexity term of bound (9) (reading notes 2 and 10):
 * `vc` is √(d ln(em/d)/m), as printed; `vc-local` is √(2d ln(e m_k/d)/m_k) on the m_k points that reach the node, as the
 * authors of the perceptron report computed it; `rademacher` is ‖w‖·√(Σ K(x_i, x_i))/m, the closed form for the ball
 * of the kernel's space that the trained node lies in.
 */
export type ComplexityKind = "vc" | "vc-local" | "rademacher";

/** The same complexity for a node's leaf and its gate: the gate asks for the distance from the leaf's surface. */
function shared(complexity: number): { leaf: number; gate: number } {
  return { leaf: complexity, gate: complexity };
}

/** The complexity of kernel classifiers by the VC dimension of each choice, on m training points. */
export function vcMeasure(dimensions: readonly number[], m: number): ComplexityMeasure {
  const complexities = dimensions.map((dimension) => vcComplexity(dimension, m));
  return { of: (choice) => shared(complexities[choice]), least: (choice) => complexities[choice] };
}

/** The same on the points that reach the node. */
export function vcLocalMeasure(dimensions: readonly number[]): ComplexityMeasure {
  const complexity = (choice: number, points: number) => vcLocalComplexity(dimensions[choice], points);
  return { of: (choice, points) => shared(complexity(choice, points)), least: complexity };
}

/**
 * The complexity of the kernel ball of radius ‖w‖ on m training points; `traces` are Σ K(x_i, x_i) over all of them for
 * each choice. A family with values in [−1, 1] has a complexity of at most 1.
 */
export function rademacherMeasure(traces: readonly number[], m: number): ComplexityMeasure {
  return {
    of: (choice, _points, { norm }) => shared(Math.min(1, (norm * Math.sqrt(traces[choice])) / m)),
    least: () => 0,
  };
}

/** VC dimensions of polynomial kernels on so many features, by degree. */
export function polynomialDimensions(features: number, degrees: readonly number[]): number[] {
  return degrees.map((degree) => polynomialVcDimension(features, degree));
}

import { vcComplexity, vcLocalComplexity } from "../bounds/vc-complexity.js";
import { VouchError } from "../error.js";
import type { NodeKernelKind } from "./node-kernels.js";
import type { ComplexityMeasure } from "./search.js";

/**
 * The complexity term of bound (9):
 * `vc` is √(d ln(em/d)/m), as printed; `vc-local` is √(2d ln(e m_k/d)/m_k) on the m_k points that reach the node, as the
 * authors of the perceptron report computed it; `rademacher` is ‖w‖·√(Σ K(x_i, x_i))/m, the closed form for the ball
 * of the kernel's space that the trained node lies in.
 */
export type ComplexityKind = "vc" | "vc-local" | "rademacher";

/**
 * The complexity that was asked for; `auto` is `vc`, as printed, where the VC dimension is finite. It is
 * infinite for all kernels but the polynomial ones. There a complexity by VC dimension would be the same for all levels and
 * all kernels, the bound would leave the choice of the kernel to the training error, and as a rule
 * the narrowest kernel would win: it is refused.
 */
export function complexityFor(
  learner: string,
  kernel: NodeKernelKind,
  asked: ComplexityKind | "auto",
): ComplexityKind {
  if (kernel === "polynomial") return asked === "auto" ? "vc" : asked;
  if (asked === "auto" || asked === "rademacher") return "rademacher";
  throw new VouchError(
    "option/invalid",
    `Option complexity of ${learner} is ${asked}, but the VC dimension of the ${kernel} kernel is infinite.`,
    { hint: "Set complexity to rademacher." },
  );
}

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

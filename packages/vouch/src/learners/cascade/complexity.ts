import type { Sample } from "../../encode/sample.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { vcComplexity, vcLocalComplexity } from "../../theory/cascades/leaf-complexity.js";
import type { BuiltLevel } from "./cascade-family.js";
import type { LeafFacts } from "./cascade-model.js";
import { type GateRule, type LeafClassifier, LeafEvaluation } from "./leaf-classifier.js";
import type { NodeKernelKind } from "./node-kernels.js";
import type { ComplexityMeasure } from "./search.js";
import { type CascadeTree, route } from "./space.js";

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

/**
 * What the bounds need to know of the leaves of a chain, counted by sending the training rows through it. The last leaf
 * has passed as many gates as the one before it, since it has no gate of its own.
 */
export function leafFacts(
  training: Sample,
  tree: CascadeTree<GateRule, LeafClassifier>,
  levels: readonly BuiltLevel[],
  fractions: readonly (number | undefined)[],
): LeafFacts[] {
  const evaluation = new LeafEvaluation(training.features);
  const all = Int32Array.from(training.labels, (_, row) => row);
  const facts: LeafFacts[] = [];
  route(
    tree,
    all,
    (question, rows) => evaluation.answers(question, rows),
    (classifier, rows) => {
      const k = facts.length;
      const { degree, complexity, guaranteed, question } = levels[k];
      const fraction = fractions[k];
      const gates = question ? levels.slice(0, k + 1) : levels.slice(0, k);
      facts.push({
        level: k + 1,
        depth: gates.length,
        degree,
        ...countsOf(evaluation, classifier, rows, training.labels),
        complexity: complexity.leaf,
        gateComplexities: gates.map((level) => level.complexity.gate),
        ...(fraction !== undefined && { fraction }),
        guaranteed: {
          complexity: guaranteed.leaf,
          gateComplexities: gates.map((level) => level.guaranteed.gate),
        },
      });
    },
  );
  return facts;
}

/** m_k⁺, m_k⁻ and ρ_k: the smallest y·h_k(x) of rightly classified rows, 0 if there are none. */
function countsOf(
  evaluation: LeafEvaluation,
  classifier: LeafClassifier,
  rows: Int32Array,
  labels: Int32Array,
): Pick<LeafFacts, "correct" | "wrong" | "points" | "smallestMargin"> {
  const values = evaluation.values(classifier, rows);
  let correct = 0;
  let smallest = 1;
  rows.forEach((row, i) => {
    const score = labels[row] === 0 ? values[i] : -values[i];
    if (!(score > 0)) return;
    correct++;
    smallest = Math.min(smallest, score / evaluation.limit(classifier, row));
  });
  const smallestMargin = correct === 0 ? 0 : smallest;
  return { correct, wrong: rows.length - correct, points: rows.length, smallestMargin };
}

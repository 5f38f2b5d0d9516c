import * as real from "../../runtime/maths/portable-math.js";
import { formatCount, formatRoundPercent, formatUpperBound } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { allHold, type Certificate, checkedPremise, type Premise, riskOfFailure } from "../certificate.js";
import { KNOWN_KERNEL } from "../encoding-premises.js";
import {
  FIXED_LEARNER,
  INDEPENDENT_ROWS,
  type SampleEvidence,
  trainingCertificate,
} from "../training-certificate.js";

/** A decision node as the theorems see it. */
export interface HierarchyNodeInputs {
  /** γ: the smallest distance from the hyperplane, with ‖w‖ = 1, of a training row of the classes that take part. */
  readonly margin: number;
  /** Number of training rows of the classes that take part on the wrong side. */
  readonly errors: number;
  /** |S_j|: number of classes that reach the node, including those that it ignores. */
  readonly classes: number;
}

/** A trained hierarchy of decision nodes. */
export interface HierarchyEvidence extends SampleEvidence {
  readonly nodes: readonly HierarchyNodeInputs[];
  /** R² of a ball around the origin of feature space that contains all training rows. */
  readonly squaredRadius: number;
  /** Whether the ball contains every possible row, as for kernels with K(x, x) = 1. */
  readonly bounded: boolean;
}

/**
 * Bounds the error of a relaxed hierarchy by Theorem 3.1 of Gao and Koller (2011, supplement), in the form
 *
 *     (130/m) (R²D′ log(4em) log(4m) + N_G log(2m) + log(2/δ) + log 3 · Σ_j |S_j|),    D′ = Σ_j 1/γ_j²
 *
 * with logarithms to base 2, as in the paper that the proof comes from (Shawe-Taylor et al. 1998). It differs from the printed form
 * in two points, both derived in docs/guarantees-hierarchies.md. R² multiplies only D′: this is the theorem itself after all
 * features are divided by R, because as printed it depends on their unit. And the last term pays for the graph: the theorem is for
 * a graph that is given in advance, but ours is learned from the rows.
 *
 * It is listed for comparison: no margin is above R, so R²D′ ≥ 1, and even then two classes need 46,400 rows without an error for
 * a value below 1. With R²D′ = 100 they need millions.
 */
export function relaxedHierarchyBound(evidence: HierarchyEvidence): Certificate {
  return hierarchyCertificate("relaxed-hierarchy", "Theorem 3.1", evidence, evidence.nodes);
}

/**
 * Bounds the probability that a row of one class is classified as another class, or a row of another class as this one, by
 * Theorem 3.2: the same sum over the nodes in which the class takes part.
 */
export function relaxedHierarchyClassBound(
  evidence: HierarchyEvidence,
  name: string,
  takesPart: (node: number) => boolean,
): Certificate {
  const nodes = evidence.nodes.filter((_, j) => takesPart(j));
  const certificate = hierarchyCertificate("relaxed-hierarchy-class", "Theorem 3.2", evidence, nodes);
  if (certificate.reason !== undefined) return certificate;
  return {
    ...certificate,
    statement: `With ${formatRoundPercent(evidence.confidence)} confidence at most ${formatUpperBound(certificate.value)} of new cases like these are of class ${name} and classified as another, or the other way round.`,
  };
}

/** Evaluates the bound for the nodes that count; the graph is paid for as a whole. */
function hierarchyCertificate(
  name: string,
  theorem: string,
  evidence: HierarchyEvidence,
  counted: readonly HierarchyNodeInputs[],
): Certificate {
  checkEvidence(evidence);
  const { rows, confidence, squaredRadius, nodes } = evidence;
  const delta = riskOfFailure(confidence);
  const inverseMargins = counted.reduce((sum, { margin }) => sum + 1 / margin ** 2, 0);
  const factor = 130 / rows;
  const terms = {
    "margins R²D′":
      factor * squaredRadius * inverseMargins * real.log2(4 * Math.E * rows) * real.log2(4 * rows),
    "nodes N_G": factor * counted.length * real.log2(2 * rows),
    confidence: factor * real.log2(2 / delta),
    graph: factor * real.log2(3) * nodes.reduce((sum, { classes }) => sum + classes, 0),
  };
  const premises = [
    INDEPENDENT_ROWS,
    FIXED_LEARNER,
    KNOWN_KERNEL,
    radiusPremise(evidence),
    noErrors(counted),
  ];
  const holds = allHold(premises);
  const sum = Object.values(terms).reduce((total, term) => total + term, 0);
  return trainingCertificate(
    {
      name,
      reference: `Gao and Koller (2011), supplement, ${theorem}`,
      value: holds ? sum : Number.POSITIVE_INFINITY,
      terms: {
        ...(holds && terms),
        N_G: counted.length,
        ...(holds && { "D′": inverseMargins }),
        "R²": squaredRadius,
        rows,
        delta,
      },
      ...(holds && { parts: terms }),
      premises,
      ...(!holds && { fault: describeFault(counted) }),
      role: "comparison",
    },
    evidence,
  );
}

function radiusPremise({ bounded }: HierarchyEvidence): Premise {
  if (bounded) {
    return { text: "All rows are in the ball of radius R: the kernel has K(x, x) = 1.", status: "checked" };
  }
  return {
    text: "No new row is farther from the origin of feature space than the farthest training row.",
    status: "assumed",
  };
}

function noErrors(nodes: readonly HierarchyNodeInputs[]): Premise {
  return checkedPremise(
    "At every node all training rows of the classes that take part are on the right side.",
    nodes.every(({ errors, margin }) => errors === 0 && margin > 0),
  );
}

function describeFault(nodes: readonly HierarchyNodeInputs[]): string {
  const failing = nodes.filter(({ errors, margin }) => errors > 0 || !(margin > 0)).length;
  return `The theorem is for hierarchies without training errors, but ${failing} of ${formatCount(nodes.length, "node")} ${failing === 1 ? "has" : "have"} training rows on the wrong side.`;
}

function checkEvidence({ rows, nodes, squaredRadius }: HierarchyEvidence): void {
  const possible =
    Number.isSafeInteger(rows) &&
    rows > 0 &&
    nodes.length > 0 &&
    squaredRadius >= 0 &&
    squaredRadius < Number.POSITIVE_INFINITY &&
    nodes.every(({ margin, errors }) => !Number.isNaN(margin) && errors >= 0);
  if (possible) return;
  throw new VouchError(
    "option/invalid",
    "The bound for hierarchies needs training rows, nodes with their margins, and a finite radius.",
  );
}

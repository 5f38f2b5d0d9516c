import { formatCount, formatRoundPercent, formatUpperBound } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import {
  type Certificate,
  type Premise,
  SETTLED_LEARNER,
  TRAINING_DRAWS,
  trainingCertificate,
} from "../certificate.js";
import { riskOfFailure } from "../held-out/held-out.js";

/** A decision node as the theorems see it. */
export interface HierarchyNodeFacts {
  /** γ: the smallest distance of a training row of the classes that take part from the hyperplane, with ‖w‖ = 1. */
  readonly margin: number;
  /** Training rows of the classes that take part on the wrong side. */
  readonly errors: number;
  /** How many classes come to the node, those that it ignores among them. */
  readonly classes: number;
}

/** A hierarchy of decision nodes, trained on some rows. */
export interface HierarchyFacts {
  /** m: how many rows it was trained on. */
  readonly rows: number;
  /** The probability 1 − δ with which the bound is to hold; in (0, 1). */
  readonly confidence: number;
  readonly nodes: readonly HierarchyNodeFacts[];
  /** R²: of a ball about the origin of feature space with all training rows in it. */
  readonly squaredRadius: number;
  /** Whether all rows that there can be are in that ball, as with kernels for which K(x, x) = 1. */
  readonly bounded: boolean;
}

/**
 * Gao and Koller (2011, supplement), Theorem 3.1, in the form
 *
 *     (130/m) (R²D′ log(4em) log(4m) + N_G log(2m) + log(2/δ) + log 3 · Σ_j |S_j|),    D′ = Σ_j 1/γ_j²
 *
 * with logarithms to base 2, as in the paper that the proof comes from (Shawe-Taylor et al. 1998). Two things differ from
 * what is printed, both derived in docs/guarantees-hierarchies.md: R² multiplies only D′, which is the theorem itself after
 * all features are divided by R, since as printed it depends on their unit; and the last term pays for the graph. The
 * theorem is for a graph that is given beforehand, but ours is learned from the rows.
 */
export function relaxedHierarchyBound(facts: HierarchyFacts): Certificate {
  return hierarchyCertificate("relaxed-hierarchy", "Theorem 3.1", facts, facts.nodes);
}

/**
 * The same, Theorem 3.2: the probability that a row of one class is taken for another, or a row of another for it, is bounded
 * by the same sum over the nodes at which the class takes part.
 */
export function relaxedHierarchyClassBound(
  facts: HierarchyFacts,
  name: string,
  takesPart: (node: number) => boolean,
): Certificate {
  const nodes = facts.nodes.filter((_, j) => takesPart(j));
  const certificate = hierarchyCertificate("relaxed-hierarchy-class", "Theorem 3.2", facts, nodes);
  if (certificate.reason !== undefined) return certificate;
  return {
    ...certificate,
    statement: `With ${formatRoundPercent(facts.confidence)} confidence at most ${formatUpperBound(certificate.value)} of new cases like these are of class ${name} and taken for another, or the other way round.`,
  };
}

/** The bound by the nodes that count; the graph is paid for as a whole. */
function hierarchyCertificate(
  name: string,
  theorem: string,
  facts: HierarchyFacts,
  counted: readonly HierarchyNodeFacts[],
): Certificate {
  checkFacts(facts);
  const { rows, confidence, squaredRadius, nodes } = facts;
  const delta = riskOfFailure(confidence);
  const inverseMargins = counted.reduce((sum, { margin }) => sum + 1 / margin ** 2, 0);
  const factor = 130 / rows;
  const terms = {
    "margins R²D′":
      factor * squaredRadius * inverseMargins * Math.log2(4 * Math.E * rows) * Math.log2(4 * rows),
    "nodes N_G": factor * counted.length * Math.log2(2 * rows),
    confidence: factor * Math.log2(2 / delta),
    graph: factor * Math.log2(3) * nodes.reduce((sum, { classes }) => sum + classes, 0),
  };
  const premises = [TRAINING_DRAWS, SETTLED_LEARNER, KNOWN_ENCODING, radiusPremise(facts), noErrors(counted)];
  const holds = premises.every((premise) => premise.holds);
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
        δ: delta,
      },
      ...(holds && { parts: terms }),
      premises,
      ...(!holds && { fault: faultOf(counted) }),
    },
    facts,
  );
}

const KNOWN_ENCODING: Premise = {
  statement:
    "Scales and offsets of the features and the parameters of the kernel are as good as known beforehand, although they come from all training rows.",
  holds: true,
  assumed: true,
};

function radiusPremise({ bounded }: HierarchyFacts): Premise {
  if (bounded) {
    return { statement: "All rows are in the ball of radius R: the kernel has K(x, x) = 1.", holds: true };
  }
  return {
    statement: "No new row is farther from the origin of feature space than the farthest training row.",
    holds: true,
    assumed: true,
  };
}

function noErrors(nodes: readonly HierarchyNodeFacts[]): Premise {
  return {
    statement: "At every node all training rows of the classes that take part are on the right side.",
    holds: nodes.every(({ errors, margin }) => errors === 0 && margin > 0),
  };
}

function faultOf(nodes: readonly HierarchyNodeFacts[]): string {
  const failing = nodes.filter(({ errors, margin }) => errors > 0 || !(margin > 0)).length;
  return `The theorem is for hierarchies without training errors, but ${failing} of ${formatCount(nodes.length, "node")} ${failing === 1 ? "has" : "have"} training rows on the wrong side.`;
}

function checkFacts({ rows, nodes, squaredRadius }: HierarchyFacts): void {
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

import type { Sample } from "../data/sample.js";
import { type Classifier, Evaluation, type Question } from "./classifier.js";
import type { BuiltLevel } from "./family.js";
import type { LeafFacts } from "./model.js";
import { type CascadeTree, route } from "./topology.js";

/**
 * What the bounds need to know of the leaves of a chain, counted by sending the training rows through it. The last leaf
 * has passed as many gates as the one before it, since it has no gate of its own.
 */
export function leafFacts(
  training: Sample,
  tree: CascadeTree<Question, Classifier>,
  levels: readonly BuiltLevel[],
  fractions: readonly (number | undefined)[],
): LeafFacts[] {
  const evaluation = new Evaluation(training.features);
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
  evaluation: Evaluation,
  classifier: Classifier,
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

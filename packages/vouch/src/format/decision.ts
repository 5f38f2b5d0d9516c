import { describeRule } from "@vouch/core/internal/metrics/decision-rule";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import type { SelectiveEvidence } from "@vouch/core/internal/train/selective-prediction";

/** Describes how a model decides: its metric, class weights, calibration, rule, abstention and sets. */
export function decisionAsJson({ card, decision, classes }: Classifier): Record<string, Json> {
  const { objective, calibration, classWeights: weights } = card;
  const { rule, abstention, sets } = decision;
  return {
    ...(objective && {
      objective: {
        ...objective,
        ...(objective.positive !== undefined && { positive: classes[objective.positive] }),
      },
    }),
    ...(weights && { classWeights: Object.fromEntries(classes.map((name, k) => [name, weights[k]])) }),
    ...(calibration && { calibration }),
    rule: rule.kind === "threshold" ? { ...rule, class: classes[rule.class] } : rule,
    ...(abstention && { abstention }),
    ...(sets && { sets }),
  };
}

/** Describes how a model predicts if not by its largest score, when it abstains, and what its sets cover. */
export async function decisionSentences({ classes, decision }: Classifier): Promise<string[]> {
  const { rule, abstention, sets } = decision;
  if (rule.kind === "model" && !abstention && !sets) return [];
  const [{ describeAbstention }, { describeSets }] = await Promise.all([
    import("@vouch/core/internal/theory/conformal/abstention-certificates"),
    import("@vouch/core/internal/theory/conformal/coverage-certificates"),
  ]);
  return [
    ...(rule.kind === "model" ? [] : [`It predicts ${describeRule(rule, classes)}.`]),
    ...(abstention ? [describeAbstention(abstention)] : []),
    ...(sets ? [describeSets(sets, classes)] : []),
  ];
}

/** Answers of an abstaining model on labelled rows. */
export interface AnsweredShare {
  readonly answered: number;
  /** Share of the rows that are answered. */
  readonly share: number;
  readonly errors: number;
  /** Share of the answers that are wrong; absent without answers. */
  readonly error?: number;
}

/** Computes the answered share and its error; undefined if the model answers every row. */
export function answeredShare({ answers }: SelectiveEvidence): AnsweredShare | undefined {
  if (!answers) return undefined;
  const { rows, answered, errors } = answers.counts;
  return {
    answered,
    share: rows === 0 ? 0 : answered / rows,
    errors,
    ...(answered > 0 && { error: errors / answered }),
  };
}

/** Coverage of prediction sets, over all rows or over the rows of a class. */
export interface CoveredShare {
  readonly class?: string;
  readonly rows: number;
  readonly covered: number;
  /** Share of the rows whose class is in their set; absent without rows. */
  readonly coverage?: number;
}

/** Computes the coverage of sets on labelled rows; undefined for a model without sets. */
export function coveredShares(
  { coverage }: SelectiveEvidence,
  classes: readonly string[],
): CoveredShare[] | undefined {
  if (!coverage || "limits" in coverage) return undefined;
  return coverage.map(({ class: k, rows, misses }) => ({
    ...(k !== undefined && { class: classes[k] }),
    rows,
    covered: rows - misses,
    ...(rows > 0 && { coverage: (rows - misses) / rows }),
  }));
}

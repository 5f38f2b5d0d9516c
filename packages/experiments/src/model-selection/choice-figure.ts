import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { CONFIDENCE, intervalCell, meanInterval } from "../confidence-interval.js";
import { markdownTable } from "../markdown-table.js";
import { boxPlots, fiveNumbers } from "../text-figure.js";

/** Errors and choices in one problem of an oracle experiment. */
export interface ChoiceTrial {
  /** The error of each candidate on rows that were not trained on. */
  readonly errors: readonly number[];
  /** Candidate that each criterion chose. */
  readonly choices: readonly number[];
}

/** A row of the figures: a name, and its choice in a problem. */
export interface Method<Trial extends ChoiceTrial = ChoiceTrial> {
  readonly name: string;
  choiceIn(trial: Trial): number;
}

/** Makes rows of the figures from criteria, in the order of the choices of a trial. */
export function methodsOf(criteria: readonly { readonly name: string }[]): readonly Method[] {
  return criteria.map(({ name }, k) => ({ name, choiceIn: ({ choices }) => choices[k] }));
}

/** Chooses the smallest error; ties go to the smaller candidate. */
export const best: Method = { name: "best", choiceIn: ({ errors }) => errors.indexOf(Math.min(...errors)) };

/** Computes eq. 5.5: 0 for the best of the candidates, 100 for the worst; 0 if all are equally good. */
export function relativeError(errors: readonly number[], choice: number): number {
  const least = Math.min(...errors);
  const most = Math.max(...errors);
  return most === least ? 0 : (100 * (errors[choice] - least)) / (most - least);
}

/** Counts how often each candidate was chosen. */
export function choiceCounts<Trial extends ChoiceTrial>(
  { choiceIn }: Method<Trial>,
  trials: readonly Trial[],
  candidates: number,
): number[] {
  const counts = new Array<number>(candidates).fill(0);
  for (const trial of trials) counts[choiceIn(trial)]++;
  return counts;
}

/** Draws box plots of the relative errors of all methods under a title and an explanation, then lists the numbers. */
export function choiceFigure(
  title: string,
  reading: string,
  methods: readonly Method[],
  trials: readonly ChoiceTrial[],
): string {
  const boxes = methods.map(({ name, choiceIn }) => {
    const errors = trials.map((trial) => relativeError(trial.errors, choiceIn(trial)));
    return { name, box: fiveNumbers(errors), mean: mean(errors), interval: meanInterval(errors) };
  });
  const titles = [
    ...["criterion", "minimum", "lower quartile", "median", "upper quartile", "maximum", "mean"],
    `mean, ${formatRoundPercent(CONFIDENCE)} interval`,
  ];
  const cells = boxes.map(({ name, box, mean, interval }) => [
    name,
    ...[box.least, box.lower, box.median, box.upper, box.most, mean].map((value) => value.toFixed(1)),
    intervalCell(interval, 1),
  ]);
  return [
    `### ${title}: relative error of the choice, eq. 5.5`,
    reading,
    `\`\`\`\n${boxPlots(boxes, 0, 100)}\n\`\`\``,
    markdownTable(titles, cells),
  ].join("\n\n");
}

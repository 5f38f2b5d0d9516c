import { marginVc } from "../bounds/margin-vc.js";
import type { Criterion, Score } from "./criterion.js";
import type { Fitted } from "./evidence.js";

/**
 * The margin criterion for committees (thesis, §5.4.1): the bound of Theorem 3.5, in which it is the margins of the
 * training rows that count, and not how many classifiers vote. It speaks of margins above a least one, which is close
 * to 1 unless there are thousands of rows; where no candidate has such margins it cannot tell them apart.
 */
export const marginCriterion: Criterion = {
  name: "margin",
  summary: "bound by the margins of the training rows (Theorem 3.5), for weighted votes such as adaboost",
  measures: "bound",
  needs: ["training"],
  refusal: ({ complexity }) =>
    complexity.vote ? undefined : "Theorem 3.5 is about weighted votes between two classes",
  score: (candidates, { confidence }) => ({
    scores: candidates.map(({ training: [fitted] }) => marginScore(fitted, confidence)),
  }),
};

function marginScore({ rows, errors, margins, complexity }: Fitted, confidence: number): Score {
  const vcDimension = complexity.vote?.vcDimension ?? Number.POSITIVE_INFINITY;
  const { value, terms, reason } = marginVc({ rows, errors, margins, vcDimension, confidence });
  // Without a θ the certificate is 1, as any bound may be; but it does not say that the candidate is better than others.
  const silent = terms.n === 0 || value === Number.POSITIVE_INFINITY;
  return silent && reason !== undefined
    ? { value: Number.POSITIVE_INFINITY, terms, reason }
    : { value, terms };
}

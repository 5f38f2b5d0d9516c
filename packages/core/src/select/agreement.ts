import { formatMetric, metricFacts, metricValue } from "../metrics/metric-name.js";
import { formatNumber } from "../runtime/text/number-format.js";
import type { Ranking, Selection } from "./select.js";

/** Describes where criteria agree and where they differ. */
export function describeAgreement(selection: Selection): string[] {
  const { rankings } = selection;
  return [
    choices(selection),
    ...rankings.flatMap((ranking) => weaknesses(ranking)),
    ...comparison(selection),
    ...rankings.flatMap((ranking) => refusals(ranking, selection)),
  ];
}

/** Returns the index of the candidate chosen by a criterion. */
export function findChoice({ scores: [best] }: Ranking): number {
  return best.candidate;
}

function choices({ rankings, candidates }: Selection): string {
  const byChoice = new Map<number, string[]>();
  for (const ranking of rankings) {
    const choice = findChoice(ranking);
    byChoice.set(choice, [...(byChoice.get(choice) ?? []), ranking.criterion.name]);
  }
  const clauses = Array.from(byChoice, ([choice, names]) => {
    const verb = names.length === 1 ? "chooses" : "choose";
    return `${enumeration(names)} ${verb} ${candidates[choice].name}`;
  });
  if (rankings.length > 1 && clauses.length === 1) return `All criteria agree: ${clauses[0]}.`;
  return `${clauses.length > 1 ? "The criteria disagree: " : ""}${clauses.join("; ")}.`;
}

/** Describes whether the scores of a criterion are vacuous, or do not distinguish the best candidates. */
function weaknesses({ criterion, scores }: Ranking): string[] {
  const [{ value: least, reason }] = scores;
  const { value: most } = scores[scores.length - 1];
  if (least === Number.POSITIVE_INFINITY) {
    return [
      `${criterion.name} is not informative for any candidate and keeps the first one. ${reason ?? ""}`.trim(),
    ];
  }
  const ties = scores.filter(({ rank }) => rank === 1).length;
  const tied = ties > 1 ? [`${criterion.name} rates ${ties} candidates equal and keeps the first one.`] : [];
  if (criterion.measures !== "bound" || least < 1) return tied;
  const range =
    most === Number.POSITIVE_INFINITY
      ? `${formatNumber(least)} or more`
      : `${formatNumber(least)} to ${formatNumber(most)}`;
  return [
    `The bounds of ${criterion.name} are above 1 (${range}): they guarantee nothing, only their order counts.`,
    ...tied,
  ];
}

/** Compares the choices of the other criteria by the first criterion that estimates the error. */
function comparison({ rankings, candidates, objective: { metric } }: Selection): string[] {
  const judge = rankings.find(({ criterion }) => criterion.measures === "error");
  if (!judge) return [];
  const [best] = judge.scores;
  const others = new Set(rankings.map(findChoice).filter((choice) => choice !== best.candidate));
  return judge.scores
    .filter(({ candidate }) => others.has(candidate))
    .map(({ candidate, value }) => {
      const shown = (loss: number) => formatMetric(metric, metricValue(metric, loss));
      const instead =
        metric === "error"
          ? `${candidates[candidate].name} misclassifies ${shown(value)} of the rows`
          : `the ${metricFacts(metric).title} of ${candidates[candidate].name} is ${shown(value)}`;
      return value === best.value
        ? `By ${judge.criterion.name}, ${instead}, as good as ${candidates[best.candidate].name}.`
        : `By ${judge.criterion.name}, ${instead}, ${candidates[best.candidate].name} ${shown(best.value)}.`;
    });
}

function refusals({ criterion, refused }: Ranking, { candidates }: Selection): string[] {
  const byReason = new Map<string, Set<string>>();
  for (const { candidate, reason } of refused) {
    const { name, learner } = candidates[candidate];
    const judged = candidates.some(
      (other, c) => other.learner.name === learner.name && !refused.some((no) => no.candidate === c),
    );
    byReason.set(reason, (byReason.get(reason) ?? new Set()).add(judged ? name : learner.name));
  }
  return Array.from(
    byReason,
    ([reason, names]) => `${criterion.name} cannot judge ${enumeration([...names])}: ${reason}.`,
  );
}

/** Joins names: `a`, `a and b`, `a, b and c`. */
function enumeration(names: readonly string[]): string {
  const [last, ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}

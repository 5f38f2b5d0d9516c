import { candidateLabel, candidateTitle } from "@vouch/core/internal/learners/index";
import { formatMetric, metricFacts } from "@vouch/core/internal/metrics/metric-name";
import { formatCount, formatDuration, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import type { CandidateResult, Choice } from "@vouch/core/internal/select/choose-learner";
import { wrap } from "../process/terminal.js";
import { alignedTable } from "./aligned-table.js";

/** Maximum number of kinds of learners to list, each by its best candidate. */
const MOST_SHOWN = 8;

/** The best candidate of a kind of learner, and the number of candidates of the kind. */
interface BestOfKind {
  readonly candidate: CandidateResult;
  readonly variants: number;
}

/**
 * Lists the best candidate of each kind of learner, best first, then those that were tested more or less than the chosen one, whose
 * numbers do not compare with its own, and counts the others by outcome.
 */
export function choiceLines(choice: Choice, columns: number, verbose = false): string {
  const [chosen] = choice.candidates;
  const kinds = bestOfKinds(choice);
  const tested = (wanted: Tested) =>
    kinds.filter(({ candidate }) => compareTests(candidate, chosen) === wanted);
  const compared = tested("alike");
  const place = compared.findIndex(({ candidate }) => candidate === chosen);
  const shown =
    place < MOST_SHOWN
      ? compared.slice(0, MOST_SHOWN)
      : [...compared.slice(0, MOST_SHOWN - 1), compared[place]];
  const more = tested("more").slice(0, Math.max(0, MOST_SHOWN - shown.length));
  const less = tested("less").slice(0, Math.max(0, MOST_SHOWN - shown.length - more.length));
  const { metric } = choice.objective;
  const headings = [
    { title: "learner", prose: verbose },
    { title: "tried", right: true },
    { title: metricFacts(metric).title, right: true },
    { title: "", right: true },
    { title: "tests", right: true },
    { title: "", whole: true },
  ];
  const row = ({ candidate, variants }: BestOfKind) => {
    const { mean, sd } = candidate.validation.metric;
    const tests = candidate.validation.errors.length;
    return [
      verbose ? fullTitle(candidate.name) : shortTitle(candidate.name),
      formatNumber(variants),
      formatMetric(metric, mean),
      tests > 1 ? `± ${formatMetric(metric, sd)}` : "",
      formatNumber(tests),
      candidate === chosen ? "← chosen" : remark(candidate, chosen),
    ];
  };
  const part = (heading: string, listed: readonly BestOfKind[]) =>
    listed.length > 0 ? [[heading, "", "", "", "", ""], ...listed.map(row)] : [];
  const all = [...shown.map(row), ...part("tested on more:", more), ...part("tested on less:", less)];
  const sentences = [
    describeOthers(choice, [...shown, ...more, ...less]),
    place > 0 ? CLOSE_CALL : undefined,
    describeEnsemble(choice),
  ];
  return [
    alignedTable(headings, all, columns),
    ...sentences.flatMap((sentence) => (sentence === undefined ? [] : [wrap(sentence, columns, "  ")])),
  ].join("\n");
}

const CLOSE_CALL =
  "Candidates within one standard error of the best are alike: of these, the one with the smallest log loss is chosen.";

/** Folds of equal numbers of rows may differ slightly. */
const ALMOST_AS_MANY = 0.9;

function hasFewerRows({ rows }: CandidateResult, chosen: CandidateResult): boolean {
  return rows < ALMOST_AS_MANY * chosen.rows;
}

/** How much a candidate was tested, compared with the chosen one. */
type Tested = "alike" | "more" | "less";

const TESTED: readonly Tested[] = ["alike", "more", "less"];

/** Compares the rows that two candidates were fitted to, and how often they were tested. */
function compareTests(one: CandidateResult, chosen: CandidateResult): Tested {
  const difference = one.validation.errors.length - chosen.validation.errors.length;
  if (hasFewerRows(one, chosen) || difference < 0) return "less";
  return difference > 0 || hasFewerRows(chosen, one) ? "more" : "alike";
}

/** Finds the best candidate of each kind of learner; candidates with as many tests as the chosen one come first. */
function bestOfKinds({ candidates, objective }: Choice): BestOfKind[] {
  const [chosen] = candidates;
  const sign = metricFacts(objective.metric).larger ? -1 : 1;
  const sorted = candidates.toSorted(
    (a, b) =>
      TESTED.indexOf(compareTests(a, chosen)) - TESTED.indexOf(compareTests(b, chosen)) ||
      sign * (a.validation.metric.mean - b.validation.metric.mean),
  );
  const kinds = [...new Set(sorted.map(({ learner }) => learner.name))];
  return kinds.map((kind) => {
    const own = sorted.filter(({ learner }) => learner.name === kind);
    return { candidate: own.find((one) => one === chosen) ?? own[0], variants: own.length };
  });
}

/** Names a candidate by the learner's title and all its settings. */
function fullTitle(name: string): string {
  const { title, settings } = candidateLabel(name);
  return [title, ...settings].join(", ");
}

/** Maximum length of a title in its column on an 80-character terminal. */
const LONGEST_TITLE = 34;

function shortTitle(name: string): string {
  const title = candidateTitle(name);
  return title.length > LONGEST_TITLE ? titleOf(name) : title;
}

function titleOf(name: string): string {
  return candidateLabel(name).title;
}

/** Describes the members and the cost of an ensemble, or reports that it was tried and is no better. */
function describeEnsemble({ ensemble, candidates }: Choice): string | undefined {
  if (!ensemble) return undefined;
  const { members, isChosen, secondsPerRow } = ensemble;
  const titles = members.map(titleOf);
  const kinds = [...new Set(titles)].map((title) => {
    const count = titles.filter((other) => other === title).length;
    return count > 1 ? `${title} (${formatNumber(count)})` : title;
  });
  if (!isChosen) return `An ensemble of ${kinds.join(", ")} was no better.`;
  const [, single] = candidates;
  const price = `A prediction takes about ${formatDuration(secondsPerRow.winner)} per row`;
  const alone = single
    ? `, ${formatDuration(secondsPerRow.single)} with ${titleOf(single.name)} alone (--single chooses that)`
    : "";
  return `The ensemble combines ${kinds.join(", ")}. ${price}${alone}.`;
}

function remark(one: CandidateResult, chosen: CandidateResult): string {
  if (one.fate === "behind" && !hasFewerRows(one, chosen)) return "behind";
  if (compareTests(one, chosen) === "alike") return "";
  if (hasFewerRows(one, chosen) || hasFewerRows(chosen, one)) return `on ${formatNumber(one.rows)} rows`;
  return one.fate === "slow" ? "out of time" : "";
}

/** Counts the others: "and 21 more candidates: 18 behind, 3 out of time". */
function describeOthers({ candidates, untried }: Choice, shown: readonly BestOfKind[]): string | undefined {
  const listed = new Set(shown.map(({ candidate }) => candidate));
  const fates = [...candidates.filter((one) => !listed.has(one)), ...untried].map(({ fate }) => fate);
  if (fates.length === 0) return undefined;
  const names = {
    behind: "behind",
    slow: "out of time",
    failed: "failed",
    "not tried": "not tried",
    finished: "close",
  };
  const parts = Object.entries(names).flatMap(([fate, name]) => {
    const count = fates.filter((own) => own === fate).length;
    return count > 0 ? [`${formatNumber(count)} ${name}`] : [];
  });
  return `and ${formatCount(fates.length, "more candidate")}: ${parts.join(", ")}`;
}

import { formatMetric, metricFacts } from "vouch/select";
import { type Candidate, type Choice, formatCount, formatDuration, formatNumber } from "vouch/train";
import { alignedTable } from "./aligned-table.js";
import { wrap } from "./terminal.js";

/** The number of candidates that are listed. */
const MOST_SHOWN = 8;

/** Lists the best candidates with their errors, and counts the others by outcome. */
export function choiceLines(choice: Choice, columns: number): string {
  const shown = choice.candidates.slice(0, MOST_SHOWN);
  const largest = Math.max(...shown.map(({ rows }) => rows));
  const { metric } = choice.objective;
  const headings = [
    { title: "learner" },
    { title: metricFacts(metric).title, right: true },
    { title: "", right: true },
    { title: "rounds", right: true },
    { title: "" },
  ];
  const rows = shown.map((candidate, i) => [
    candidate.name,
    formatMetric(metric, candidate.validation.metric.mean),
    candidate.validation.errors.length > 1 ? `± ${formatMetric(metric, candidate.validation.metric.sd)}` : "",
    formatNumber(candidate.validation.errors.length),
    i === 0 ? "← chosen" : remark(candidate, largest),
  ]);
  const sentences = [othersInWords(choice, shown.length), ensembleInWords(choice)];
  return [
    alignedTable(headings, rows, columns),
    ...sentences.flatMap((sentence) => (sentence === undefined ? [] : [wrap(sentence, columns, "  ")])),
  ].join("\n");
}

/** Says what an ensemble is made of and what it costs, or that it was tried and is no better. */
function ensembleInWords({ ensemble, candidates }: Choice): string | undefined {
  if (!ensemble) return undefined;
  const { members, isChosen, secondsPerRow } = ensemble;
  if (!isChosen) return `An ensemble of ${members.join(", ")} was no better than ${candidates[0].name}.`;
  const [, single] = candidates;
  const price = `A prediction takes about ${formatDuration(secondsPerRow.winner)} per row`;
  const alone = single
    ? `, ${formatDuration(secondsPerRow.single)} with ${single.name} alone (--single chooses that)`
    : "";
  return `The ensemble combines ${members.join("; ")}. ${price}${alone}.`;
}

function remark({ fate, rows }: Candidate, largest: number): string {
  const of = rows < largest ? ` on ${formatNumber(rows)} rows` : "";
  if (fate === "behind") return `behind${of}`;
  if (fate === "slow") return `out of time${of}`;
  return fate === "failed" ? "failed" : "";
}

/** Counts the others: "and 21 more candidates: 18 behind, 3 out of time". */
function othersInWords({ candidates, untried }: Choice, shown: number): string | undefined {
  const fates = [...candidates.slice(shown), ...untried].map(({ fate }) => fate);
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

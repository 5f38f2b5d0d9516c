import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { formatMetric, metricFacts } from "@vouch/core/internal/metrics/metric-name";

/** A candidate as the leader board shows it; the race reports such objects. */
export interface Leader {
  /** The learner's name, and the options that are not at their defaults. */
  readonly name: string;
  /** Kind of learner; by default the name. Candidates of one kind differ in their options. */
  readonly learner?: string;
  /** Errors so far, one per round. */
  readonly errors: readonly number[];
  /** Values of the race's metric in the same rounds; absent before the first round. */
  readonly metric?: { readonly name: MetricName; readonly values: readonly number[]; readonly mean: number };
  /** Numbers of rows for fitting and for testing. */
  readonly rows: number;
  readonly tested: number;
  /** Duration of its last fit, in seconds. */
  readonly seconds?: number;
  readonly bytes?: number;
  /** Present once it has left the race. */
  readonly fate?: "finished" | "behind" | "slow" | "failed" | "not tried";
}

/** Measured value of a candidate, with an interval of about 95% if there are enough tests. */
export interface LeaderScore {
  readonly value: number;
  readonly shown: string;
  readonly interval?: readonly [low: number, high: number];
}

/** The standard normal quantile of 97.5%. */
const Z = 1.96;

/** Computes the score of a candidate by the race's metric; undefined before its first test. */
export function leaderScore({ errors, metric, tested }: Leader): LeaderScore | undefined {
  if (errors.length === 0) return undefined;
  const error = average(errors);
  if (metric === undefined || metric.name === "error") {
    const interval = tested > 0 ? wilsonInterval(error, tested) : undefined;
    return { value: error, shown: formatMetric("error", error), ...(interval && { interval }) };
  }
  const { name, values, mean } = metric;
  const interval = normalInterval(values, mean);
  return { value: mean, shown: formatMetric(name, mean), ...(interval && { interval }) };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Computes the score interval of a share (Wilson 1927), which stays within 0 and 1. */
function wilsonInterval(share: number, rows: number): [number, number] {
  const weight = Z ** 2 / rows;
  const middle = (share + weight / 2) / (1 + weight);
  const half = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / rows + weight / (4 * rows));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Computes mean ± 1.96 standard errors; undefined for a single round. */
function normalInterval(values: readonly number[], mean: number): [number, number] | undefined {
  if (values.length < 2) return undefined;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = Z * Math.sqrt(squares / (values.length - 1) / values.length);
  return Number.isFinite(half) ? [mean - half, mean + half] : undefined;
}

/** A candidate with its score; no score before its first test. */
export interface ScoredLeader {
  readonly leader: Leader;
  readonly score?: LeaderScore;
}

/** The candidates of one kind of learner, represented by the best one. */
export interface LeaderKind extends ScoredLeader {
  readonly learner: string;
  readonly variants: readonly ScoredLeader[];
}

/**
 * Groups candidates by kind. Kinds that are still in the race come first, ordered by the displayed score. Then come
 * those without a test, and then those that are out, whose scores may come from fewer rows. A chosen candidate
 * represents its kind.
 */
export function leaderKinds(leaders: readonly Leader[], chosen?: string): LeaderKind[] {
  const scored = leaders.map((leader): ScoredLeader => {
    const score = leaderScore(leader);
    return { leader, score };
  });
  const groups = new Map<string, ScoredLeader[]>();
  for (const one of scored.sort(byScore(leaders))) {
    const { learner = one.leader.name } = one.leader;
    groups.set(learner, [...(groups.get(learner) ?? []), one]);
  }
  const kinds = Array.from(groups, ([learner, members]): LeaderKind => {
    const first = members.find(({ leader }) => leader.name === chosen) ?? members[0];
    return { learner, ...first, variants: members.filter((one) => one !== first) };
  });
  return kinds.sort(byScore(leaders));
}

export function isOut({ fate }: Leader): boolean {
  return fate !== undefined && fate !== "finished";
}

function byScore(leaders: readonly Leader[]): (a: ScoredLeader, b: ScoredLeader) => number {
  const metric = leaders.find((one) => one.metric)?.metric?.name ?? "error";
  const sign = metricFacts(metric).larger ? -1 : 1;
  const place = ({ leader, score }: ScoredLeader) => (isOut(leader) ? 2 : score ? 0 : 1);
  const value = ({ score }: ScoredLeader) => (score ? sign * score.value : Number.POSITIVE_INFINITY);
  return (a, b) => place(a) - place(b) || (value(a) === value(b) ? 0 : value(a) - value(b));
}

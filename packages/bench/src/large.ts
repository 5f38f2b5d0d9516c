import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { defaultCandidates } from "@vouch/core/internal/select/candidates";
import { byRacing, type LearnerChoice } from "@vouch/core/internal/select/choose-learner";
import { trainClassifier } from "@vouch/core/internal/train/train";
import { executorWith, type Facts, onThreads } from "./contestants.js";
import type { BenchmarkResult, Standing } from "./race.js";
import { smoothRows } from "./synthetic.js";

const ROWS = 10_000_000;
const HOLDOUT = 0.01;

/** The default budget of `vouch train`. */
const BUDGET = 60;

/** Numbers of rounds to time, in order to find out how many fit into the race; preparing the rows takes time, too. */
const TIMED_ROUNDS = [10, 30] as const;

/**
 * Benchmarks the choice of a learner on ten million rows, more than most learners can use within the budget, against
 * boosted trees trained on all rows for the same time. Errors are measured on 100,000 held-out rows.
 */
export async function* largeBenchmark(
  threadCounts: readonly number[] = [2],
): AsyncGenerator<BenchmarkResult> {
  const table = smoothRows(ROWS);
  for (const threads of threadCounts) {
    const executor = executorWith(threads);
    try {
      const train = async (name: string, learner: Learner | LearnerChoice): Promise<Standing> =>
        trained(name, table, learner, executor);
      const choice = byRacing(defaultCandidates, { seconds: BUDGET, search: true, ensemble: true });
      const race = await train("vouch, a minute's race", choice);
      const [few, more] = TIMED_ROUNDS;
      const [first, second] = [
        await train("", boostedTrees({ rounds: few })),
        await train("", boostedTrees({ rounds: more })),
      ].map(({ seconds = 0 }) => seconds);
      const secondsPerRound = (second - first) / (more - few);
      const rounds = Math.max(1, Math.round(few + ((race.seconds ?? BUDGET) - first) / secondsPerRound));
      const peer = await train(`boosted-trees for as long, ${rounds} rounds`, boostedTrees({ rounds }));
      yield {
        title: `large: ten million smooth rows, ${onThreads(threads)}`,
        standings: [race, peer].map((one) => ({
          ...one,
          ratio: (one.seconds ?? 0) / (race.seconds ?? 1),
        })),
      };
    } finally {
      await executor.close();
    }
  }
}

async function trained(
  name: string,
  table: ReturnType<typeof smoothRows>,
  learner: Learner | LearnerChoice,
  executor: Executor,
): Promise<Standing> {
  const began = performance.now();
  const { evaluation, samples, choice } = await trainClassifier(table, learner, {
    target: "label",
    holdout: HOLDOUT,
    run: { executor, seed: 1 },
  });
  const seconds = (performance.now() - began) / 1000;
  const facts: Facts = {
    "error %": 100 * (evaluation?.error ?? Number.NaN),
    rows: samples.training.rows,
  };
  return { name: choice ? `${name}: ${choice.candidates[0].name}` : name, seconds, facts };
}

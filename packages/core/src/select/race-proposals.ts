import { shapeOf } from "./candidates.js";
import { type Contender, lossWithError } from "./contender.js";
import { SAFETY } from "./race-budget.js";
import type { RaceEntry } from "./race-entry.js";
import { pairedDifference, type RaceRound } from "./race-rounds.js";
import { costOf, RaceSearch } from "./race-search.js";
import type { TimedTrials } from "./timed-trials.js";

/** A proposal of the search takes up to this many times as long as the best configuration of its learner. */
const UNLIKE = 2;

/**
 * The search ends after this many proposals without a better leader: on few rows they would only fit the noise of the folds. One
 * that costs more than the leader counts as several.
 */
const MOST_IDLE = 60;

/** Number of proposals that are tried side by side, whatever the number of threads. */
const PROPOSALS_AT_ONCE = 4;

/** A proposal leaves if it is so many standard errors behind the leader, or behind the best configuration of its learner. */
const BEHIND_LEADER = 2;
const BEHIND_MODEL = 0.5;

/** Counts proposals, each by its cost relative to the leader's, but at least as one. */
function effortOf(proposals: readonly RaceEntry[], leader: Contender): number {
  const costs = proposals.map(({ contenders: [one] }) => costOf(one.learner) / costOf(leader.learner));
  return costs.reduce((sum, cost) => sum + Math.max(1, cost), 0);
}

/** The part of a race after the listed candidates: proposals of a search compete with them. */
export class RaceProposals {
  readonly #trials: TimedTrials;

  constructor(trials: TimedTrials) {
    this.#trials = trials;
  }

  /** Tries proposals near the best configurations on the rounds of the last stage, until time or ideas run out. */
  async run(): Promise<"by request" | undefined> {
    const field = this.#trials.field;
    const { stage, rounds: count, order } = field.standing();
    const rounds = field.rounds.filter((round) => round.stage === stage).slice(0, count);
    if (stage === undefined || rounds.length === 0) return undefined;
    const [first] = rounds;
    const search = new RaceSearch(shapeOf(field.data), field.settings.run.seed);
    const note = (one: Contender) => {
      const seconds = field.entryOf(one).roundSeconds(first.rows, first.split.test.length) ?? 0;
      const losses = field.hasRareClass ? one.logLossesOf(stage, count) : one.lossesOf(stage, count);
      search.note({ learner: one.learner, ...lossWithError(losses), seconds });
    };
    order.forEach(note);
    const sideBySide = field.runsSideBySide(first, this.#trials.budget.seconds);
    // Proposals are judged together, so that the order in which threads finish them does not matter.
    for (let idle = 0; idle < MOST_IDLE && !this.#trials.options.stop?.aborted; ) {
      const standing = this.#settled(stage, count);
      const available = this.#trials.budget.left - this.#trials.reserve(standing);
      const proposals: RaceEntry[] = [];
      while (proposals.length < PROPOSALS_AT_ONCE) {
        const learners = await search.propose(available / (2 * UNLIKE * SAFETY));
        if (!learners) break;
        proposals.push(...field.add(learners));
      }
      if (proposals.length === 0) break;
      const queue = [...proposals];
      await field.inLanes(sideBySide, async () => {
        for (let entry = queue.shift(); entry; entry = queue.shift())
          await this.#tryProposal(entry, rounds, standing, sideBySide);
      });
      const finished = proposals.flatMap(({ inRace }) => inRace);
      finished.forEach(note);
      for (const { contenders, inRace } of proposals)
        if (inRace.length === 0) search.noteFailure(contenders[0].learner);
      const [leader] = this.#settled(stage, count);
      idle = finished.includes(leader) ? 0 : idle + effortOf(proposals, leader);
    }
    return this.#trials.options.stop?.aborted ? "by request" : undefined;
  }

  /** Returns the contenders that finished so many rounds of a stage, best first. */
  #settled(stage: number, rounds: number): readonly Contender[] {
    const { field } = this.#trials;
    return field.standing(field.judged.filter((one) => one.resultsOf(stage).length >= rounds)).order;
  }

  /** Tries a proposal round by round, until it is behind the best of earlier contenders; those that finish all rounds stay in the race. */
  async #tryProposal(
    entry: RaceEntry,
    rounds: readonly RaceRound[],
    order: readonly Contender[],
    sideBySide: boolean,
  ): Promise<void> {
    const [{ learner }] = entry.contenders;
    const [leader] = order;
    const model = order.find((one) => one.learner.name === learner.name) ?? leader;
    const abandon = (reason: string) => {
      for (const one of entry.inRace) one.leave("not tried", reason);
    };
    for (const [done, round] of rounds.entries()) {
      const seconds = (of: RaceEntry) => of.roundSeconds(round.rows, round.split.test.length);
      const predicted =
        seconds(entry) ?? UNLIKE * Math.max(0.01, seconds(this.#trials.field.entryOf(model)) ?? 0);
      const available = this.#trials.budget.left - this.#trials.reserve(order);
      if (SAFETY * predicted > available || this.#trials.options.stop?.aborted) {
        abandon("the time was up");
        return;
      }
      if (
        !(await this.#trials.tryEntry(
          entry,
          round,
          this.#trials.withOverrun(predicted, available),
          sideBySide,
        ))
      ) {
        abandon("it takes too long");
        return;
      }
      for (const one of entry.inRace) {
        if (this.#isBehind(one, leader, round.stage, done + 1, BEHIND_LEADER))
          one.leave("behind", `behind ${leader.name}`);
        else if (this.#isBehind(one, model, round.stage, done + 1, BEHIND_MODEL))
          one.leave("behind", `behind ${model.name}`);
      }
      if (entry.inRace.length === 0) return;
    }
  }

  /** Tells whether a contender is so many standard errors behind another in the first rounds of a stage. */
  #isBehind(one: Contender, other: Contender, stage: number, rounds: number, errors: number): boolean {
    const [own, others] = [one, other].map((each) => each.lossesOf(stage, rounds));
    const { difference, standardError } = pairedDifference(own, others, this.#trials.field.data.groups);
    return difference > errors * standardError;
  }
}

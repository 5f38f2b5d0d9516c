import { createLearner } from "../../learners/index.js";
import type { Learner } from "../../learners/learner.js";
import * as real from "../../runtime/maths/portable-math.js";
import { Random } from "../../runtime/maths/random.js";
import { growthSteps } from "../../validation/growth-families.js";
import { type DataShape, measureShape } from "../candidates.js";
import type { Candidate } from "./candidate.js";
import type { CandidateFamily } from "./candidate-family.js";
import { dropProposals } from "./drop-candidates.js";
import { lossWithError } from "./losses.js";
import type { RaceRound } from "./rounds.js";
import type { RaceRunner } from "./runner.js";
import { findPoint, LocalSearch, learnerAt, searchSpaces } from "./search-space.js";
import { RACE_SETTINGS } from "./settings.js";

const { safetyFactor } = RACE_SETTINGS.prediction;
const {
  leastProposalSeconds,
  mostIdleProposals,
  proposalsAtOnce,
  proposalShareOfTimeLeft,
  proposalTimeFactor,
} = RACE_SETTINGS.search;

/** Counts proposals by their cost relative to the leader's, each at least as one. */
function effortOf(proposals: readonly CandidateFamily[], leader: Candidate): number {
  const costs = proposals.map(
    ({ candidates: [one] }) => estimateCost(one.learner) / estimateCost(leader.learner),
  );
  return costs.reduce((sum, cost) => sum + Math.max(1, cost), 0);
}

/** The part of a race after the listed candidates, in which proposals compete with them. */
export class SearchStage {
  readonly #runner: RaceRunner;

  constructor(runner: RaceRunner) {
    this.#runner = runner;
  }

  /** Tries proposals near the best configurations on the rounds of the last stage, until time or ideas run out. */
  async run(): Promise<"by request" | undefined> {
    const state = this.#runner.state;
    const { stage, rounds: count, order } = state.ranking();
    const rounds = state.rounds.filter((round) => round.stage === stage).slice(0, count);
    if (stage === undefined || rounds.length === 0) return undefined;
    const [first] = rounds;
    const search = new RaceSearch(measureShape(state.data), state.setup.run.seed);
    const note = (one: Candidate) => {
      const seconds = state.familyOf(one).roundSeconds(first.rows, first.split.test.length) ?? 0;
      const losses = state.hasRareClass ? one.logLossesOf(stage, count) : one.lossesOf(stage, count);
      search.note({ learner: one.learner, ...lossWithError(losses), seconds });
    };
    order.forEach(note);
    const sideBySide = state.runsSideBySide(first, this.#runner.budget.seconds);
    // Proposals are judged together, so that the order in which threads finish them does not matter.
    for (let idle = 0; idle < mostIdleProposals && !this.#runner.options.stop?.aborted; ) {
      const ranking = this.#settled(stage, count);
      const available = this.#runner.budget.left - this.#runner.reserve(ranking);
      const proposals: CandidateFamily[] = [];
      while (proposals.length < proposalsAtOnce) {
        const learners = await search.propose(
          (proposalShareOfTimeLeft * available) / (proposalTimeFactor * safetyFactor),
        );
        if (!learners) break;
        proposals.push(...state.add(learners));
      }
      if (proposals.length === 0) break;
      const queue = [...proposals];
      await state.inLanes(sideBySide, async () => {
        for (let family = queue.shift(); family; family = queue.shift())
          await this.#tryProposal(family, rounds, ranking, sideBySide);
      });
      const finished = proposals.flatMap(({ inRace }) => inRace);
      finished.forEach(note);
      for (const { candidates, inRace } of proposals)
        if (inRace.length === 0) search.noteFailure(candidates[0].learner);
      const [leader] = this.#settled(stage, count);
      idle = finished.includes(leader) ? 0 : idle + effortOf(proposals, leader);
    }
    return this.#runner.options.stop?.aborted ? "by request" : undefined;
  }

  /** Returns the candidates that finished this many rounds of a stage, best first. */
  #settled(stage: number, rounds: number): readonly Candidate[] {
    const { state } = this.#runner;
    return state.ranking(state.judged.filter((one) => one.resultsOf(stage).length >= rounds)).order;
  }

  /**
   * Tries a proposal round by round until it is behind the best of earlier candidates; those that finish all rounds
   * stay in the race.
   */
  async #tryProposal(
    family: CandidateFamily,
    rounds: readonly RaceRound[],
    order: readonly Candidate[],
    sideBySide: boolean,
  ): Promise<void> {
    const [{ learner }] = family.candidates;
    const [leader] = order;
    const model = order.find((one) => one.learner.name === learner.name) ?? leader;
    const abandon = (reason: string) => {
      for (const one of family.inRace) one.leave("not tried", reason);
    };
    for (const [done, round] of rounds.entries()) {
      const seconds = (of: CandidateFamily) => of.roundSeconds(round.rows, round.split.test.length);
      const predicted =
        seconds(family) ??
        proposalTimeFactor * Math.max(leastProposalSeconds, seconds(this.#runner.state.familyOf(model)) ?? 0);
      const available = this.#runner.budget.left - this.#runner.reserve(order);
      if (safetyFactor * predicted > available || this.#runner.options.stop?.aborted) {
        abandon("the time was up");
        return;
      }
      const limit = this.#runner.withOverrun(predicted, available);
      if ((await this.#runner.fitAndTest(family, round, limit, sideBySide)) === "stopped") {
        abandon("it takes too long");
        return;
      }
      const part = { stage: round.stage, rounds: done + 1 };
      dropProposals(family.inRace, { leader, model }, part, this.#runner.state.data.groups);
      if (family.inRace.length === 0) return;
    }
  }
}

/**
 * Relative costs of a fit; expensive searches are continued less often. Measured times would be more accurate, but then
 * the same seed would search differently on another machine even if there is time for everything.
 */
const COSTS: Readonly<Record<string, number>> = {
  logistic: 1,
  "random-trees": 2,
  forest: 3,
  svm: 2,
  "boosted-trees": 4,
  mlp: 20,
};

/** Returns the relative cost of a fit. */
function estimateCost({ name }: Pick<Learner, "name">): number {
  return COSTS[name] ?? 1;
}

/**
 * A learner whose loss exceeds the best one by a standard error, or by this fraction of it if that is more, is e times
 * less likely to be searched next.
 */
const TELLING_EXCESS = 0.02;

/** Facts about a judged candidate for the search. */
export interface JudgedCandidate {
  readonly learner: Learner;
  readonly loss: number;
  readonly standardError: number;
  /** Expected seconds of a round. */
  readonly seconds: number;
}

/**
 * Proposes configurations near the best ones so far, like cost-frugal optimisation (CFO, Wu, Wang and Huang 2021): a
 * local search per learner. Searches with small losses and cheap fits are continued more often, and none that takes too
 * long.
 */
export class RaceSearch {
  readonly #searches: readonly LocalSearch[];
  readonly #random: Random;
  readonly #seconds = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #names = new Set<string>();

  constructor(shape: DataShape, seed: number) {
    const random = new Random(seed).fork(1);
    this.#random = random;
    this.#searches = searchSpaces(shape).map((space, i) => new LocalSearch(space, random.fork(i)));
  }

  /** Notes the loss of a candidate. */
  note({ learner, loss, standardError, seconds }: JudgedCandidate): void {
    this.#names.add(makeKey(learner));
    for (const search of this.#searches) {
      const point = findPoint(search.space, learner);
      if (!point) continue;
      if (loss < search.loss) {
        this.#seconds.set(search.space.learner, seconds);
        this.#errors.set(search.space.learner, standardError);
      }
      search.note(point, loss);
    }
  }

  /** Records that a proposal left before it had a loss to compare. */
  noteFailure(learner: Learner): void {
    for (const search of this.#searches) {
      const point = findPoint(search.space, learner);
      if (point) search.note(point, Number.POSITIVE_INFINITY);
    }
  }

  /**
   * Proposes learners that share one fit: a learner and, if it grows in steps, also one with half the steps. Returns
   * undefined if nothing is left that takes at most this many seconds per round.
   */
  async propose(mostSeconds: number): Promise<Learner[] | undefined> {
    const open = this.#searches.filter(
      ({ loss, isExhausted, space }) =>
        Number.isFinite(loss) && !isExhausted && (this.#seconds.get(space.learner) ?? 0) <= mostSeconds,
    );
    while (open.length > 0) {
      const search = this.#drawn(open);
      const point = search.propose();
      if (!point) {
        open.splice(open.indexOf(search), 1);
        continue;
      }
      const learner = await learnerAt(search.space, point);
      const proposed = [learner, ...(await halfOf(learner))].filter((one) => !this.#names.has(makeKey(one)));
      if (proposed[0] !== learner) continue;
      for (const one of proposed) this.#names.add(makeKey(one));
      return proposed;
    }
    return undefined;
  }

  /** Draws a search; close to the best and cheap ones have a higher probability. */
  #drawn(open: readonly LocalSearch[]): LocalSearch {
    const [best] = open.toSorted((a, b) => a.loss - b.loss);
    const error = this.#errors.get(best.space.learner) ?? 0;
    const telling = Math.max(error, TELLING_EXCESS * best.loss, Number.EPSILON);
    const weights = open.map(
      ({ loss, space }) => real.exp((best.loss - loss) / telling) / estimateCost({ name: space.learner }),
    );
    let left = this.#random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return open[Math.max(0, drawn)];
  }
}

function makeKey({ name, options }: Learner): string {
  return JSON.stringify([name, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Creates the learner with half of the growth steps, if it grows in steps and their number is searched. */
async function halfOf(learner: Learner): Promise<Learner[]> {
  const { growth, name, options } = learner;
  const steps = growthSteps(learner);
  if (growth?.option !== "rounds" || steps === undefined || steps < 100) return [];
  return [await createLearner(name, { ...options, [growth.option]: steps / 2 })];
}

import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";

/** Candidates whose models all come from one fit. */
interface GrowthFamily {
  /** The candidate to fit: the one with the most growth steps. */
  readonly learner: Learner;
  readonly members: readonly {
    /** Index among all candidates. */
    readonly candidate: number;
    /** Derives the candidate's model from the fitted one. */
    modelIn(fitted: Model): Model;
  }[];
}

/** Groups candidates that differ only in the number of growth steps, so that one fit gives all models of a group. */
export function growthFamilies(candidates: readonly Learner[]): GrowthFamily[] {
  const groups = new Map<string, { learner: Learner; candidate: number }[]>();
  candidates.forEach((learner, candidate) => {
    const key = growthSteps(learner) === undefined ? `${candidate}` : familyKey(learner);
    groups.set(key, [...(groups.get(key) ?? []), { learner, candidate }]);
  });
  return Array.from(groups.values(), (group) => {
    const steps = (one: { learner: Learner }) => growthSteps(one.learner) ?? 0;
    const { learner } = group.reduce((largest, other) => (steps(other) > steps(largest) ? other : largest));
    const { growth } = learner;
    const members = group.map((one) => ({
      candidate: one.candidate,
      modelIn: (fitted: Model) => (growth ? growth.upTo(fitted, steps(one)) : fitted),
    }));
    return { learner, members };
  });
}

/** Returns the maximum number of growth steps of a learner; undefined if it does not grow in steps. */
export function growthSteps({ growth, options }: Learner): number | undefined {
  const steps = growth && options[growth.option];
  return typeof steps === "number" ? steps : undefined;
}

/** Makes a key for learners that differ only in the number of growth steps. */
function familyKey({ name, options, growth }: Learner): string {
  const others = Object.entries(options).filter(([option]) => option !== growth?.option);
  return JSON.stringify([name, others.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";

/** Candidates that one fit gives all models of. */
export interface Family {
  /** The candidate that is fitted: of those that differ in the steps of their growth only, the largest. */
  readonly learner: Learner;
  readonly members: readonly FamilyMember[];
}

/** A candidate of a family. */
interface FamilyMember {
  /** Its index among all candidates. */
  readonly candidate: number;
  /** Its model, given that of the family. */
  modelIn(fitted: Model): Model;
}

/** Groups candidates such that as few fits as possible give the models of all of them. */
export function growthFamilies(candidates: readonly Learner[]): Family[] {
  const groups = new Map<string, { learner: Learner; steps: number; candidate: number }[]>();
  candidates.forEach((learner, candidate) => {
    const steps = stepsOf(learner);
    const key = steps === undefined ? `${candidate}` : keyOf(learner);
    const group = groups.get(key) ?? [];
    group.push({ learner, steps: steps ?? 0, candidate });
    groups.set(key, group);
  });
  return Array.from(groups.values(), (group) => {
    const { learner } = group.reduce((largest, other) => (other.steps > largest.steps ? other : largest));
    const { growth } = learner;
    const members = group.map(({ steps, candidate }) => ({
      candidate,
      modelIn: (fitted: Model) => (growth ? growth.upTo(fitted, steps) : fitted),
    }));
    return { learner, members };
  });
}

/** How many steps a learner that grows takes at most. */
function stepsOf({ growth, options }: Learner): number | undefined {
  const steps = growth && options[growth.option];
  return typeof steps === "number" ? steps : undefined;
}

/** The same for learners that differ in the steps of their growth only. */
function keyOf({ name, options, growth }: Learner): string {
  const others = Object.entries(options).filter(([option]) => option !== growth?.option);
  return JSON.stringify([name, others.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import { logistic } from "@vouch/core/internal/learners/logistic/logistic";
import { stump } from "@vouch/core/internal/learners/stump/stump";
import type { Random } from "@vouch/core/internal/runtime/maths/random";
import { byCrossValidation } from "@vouch/core/internal/select/choose-learner";
import { type Case, coin, easy, independently, noise, normals, pick, repeat, type Source } from "./source.js";

const SAME_SOURCE = "new cases of the same source";

/** Describes independent cases with a random hold-out. */
const heldOut = (
  rows: number,
  make: (random: Random) => Case,
  given: Partial<Pick<Source, "learner" | "options" | "share" | "freshShare" | "warns">> = {},
) =>
  ({
    truth: SAME_SOURCE,
    learner: () => forest({ trees: 10 }),
    draw: independently(rows, make),
    independent: true,
    ...given,
    options: { calibrate: false, holdout: 0.2, ...given.options },
  }) as const satisfies Source;

/** Draws a case of three classes by the sign of two columns, some of them flipped. */
function threeClasses(random: Random): Case {
  const x = normals(3, random);
  const label = x.x1 > 0 ? "a" : x.x2 > 0 ? "b" : "c";
  return { ...x, label: random.uniform() < 0.1 ? "abc"[random.integer(3)] : label };
}

/** Draws a case of three classes or, with some probability, of its own class. */
const withSingletons =
  (share: number) =>
  (random: Random): Case =>
    random.uniform() < share
      ? { ...normals(3, random), label: `single ${random.bits()}` }
      : threeClasses(random);

const ZIPF_RANKS = repeat(60, (k) => k);
const ZIPF = ZIPF_RANKS.map((k) => 1 / (k + 1));

/** Draws a case of one of 60 classes, the last of which are rare. */
function zipfClass(random: Random): Case {
  const k = pick(ZIPF_RANKS, ZIPF, random);
  return { x1: k + 0.5 * random.normal(), x2: random.normal(), label: `class ${k}` };
}

/** Makes a source with a test file in which some rows belong to a class without training rows. */
const unknownClass = (rows: number, share: number) =>
  ({
    truth: "cases like the rows of the test file",
    learner: () => forest({ trees: 10 }),
    options: { sets: 0.9 },
    other: "test",
    draw(random) {
      const tested = (other: Random): Case => {
        const one = easy(other, { flipped: 0.1 });
        return other.uniform() < share ? { ...one, label: "other" } : one;
      };
      return {
        training: repeat(200, () => easy(random, { flipped: 0.1 })),
        other: repeat(rows, () => tested(random)),
        fresh: (count, other) => repeat(count, () => tested(other)),
      };
    },
    independent: true,
  }) as const satisfies Source;

/** Draws a case whose class becomes more certain as x1 moves away from 0. */
function gradual(random: Random): Case {
  const x = normals(4, random);
  return { ...x, label: random.uniform() < 1 / (1 + Math.exp(-3 * x.x1)) ? "yes" : "no" };
}

/** Draws a case of a rare class, which x1 hints at. */
const rare =
  (share: number) =>
  (random: Random): Case => {
    const isRare = random.uniform() < share;
    const x = normals(3, random);
    return { ...x, x1: x.x1 + (isRare ? 1.5 : 0), label: isRare ? "rare" : "common" };
  };

/** Sources of independent rows with a correct split: every certificate must keep its level. */
export const independentCases = {
  noise: heldOut(400, noise),
  "noise of 1,000 columns": heldOut(80, (random) => noise(random, 1000), {
    learner: () => stump(),
    options: { holdout: 0.5 },
    share: 0.25,
    freshShare: 0.05,
  }),
  "another file": {
    truth: SAME_SOURCE,
    learner: () => forest({ trees: 10 }),
    options: { calibrate: false },
    other: "certify",
    draw: (random) => ({
      training: repeat(200, () => easy(random, { flipped: 0.2 })),
      other: repeat(100, () => easy(random, { flipped: 0.2 })),
      fresh: (rows, other) => repeat(rows, () => easy(other, { flipped: 0.2 })),
    }),
    independent: true,
  },
  "heavy ties": heldOut(300, (random) => {
    const bits = repeat(4, (j) => [`b${j + 1}`, random.integer(2)] as const);
    const ones = bits.reduce((sum, [, bit]) => sum + bit, 0);
    return { ...Object.fromEntries(bits), label: random.uniform() < ones / 4 ? "yes" : "no" };
  }),
  "categories by Zipf's law": heldOut(
    400,
    (random) => {
      const code = pick(ZIPF_RANKS, ZIPF, random);
      const isOdd = random.uniform() < 0.2 ? random.integer(2) : code % 2;
      return { c1: `c${code}`, c2: "ab"[random.integer(2)], label: isOdd ? "yes" : "no" };
    },
    { warns: "errors are more frequent in rows that equal no training row" },
  ),
  "5 held-out rows": heldOut(50, (random) => easy(random, { flipped: 0.2 }), { options: { holdout: 0.1 } }),
  "20 held-out rows": heldOut(100, gradual, { learner: () => logistic(), options: { holdout: 0.2 } }),
  "errors of 0.1%": heldOut(1500, (random) => easy(random, { columns: 1, flipped: 0.001 }), {
    learner: () => stump(),
    warns: "one column predicts the class",
  }),
  "100 classes": heldOut(
    1000,
    (random) => {
      const x = normals(2, random);
      const place = random.integer(100);
      const label = random.uniform() < 0.1 ? random.integer(100) : place;
      return { ...x, x3: place + random.uniform(), label: `class ${label}` };
    },
    { learner: () => forest({ trees: 3 }), share: 0.25, freshShare: 0.5 },
  ),
  "class of 0.5%": heldOut(1000, rare(0.005), { options: { holdout: 0.3 } }),
  "class of 10%, balanced weights": heldOut(400, rare(0.1), { options: { classWeights: "balanced" } }),
  "rare classes, stratified": {
    ...heldOut(300, rare(0.04), { options: { holdout: 0.3, stratify: true } }),
    truth: "new cases with the class proportions of the file",
  },
  "rare expensive errors": heldOut(300, rare(0.05), {
    options: { holdout: 0.5, calibrate: true, costs: { rare: { common: 50 } } },
  }),
  "missing values that carry the class": heldOut(300, (random) => {
    const one = easy(random, { flipped: 0.3 });
    return random.uniform() < (one.label === "yes" ? 0.6 : 0.1) ? { ...one, x2: undefined } : one;
  }),
  "abstention at 2%": heldOut(400, gradual, {
    options: { holdout: 0.5, calibrate: true, abstain: 0.02 },
  }),
  "abstention at 10%": heldOut(400, gradual, {
    learner: () => boostedTrees({ rounds: 5 }),
    options: { holdout: 0.5, calibrate: true, abstain: 0.1 },
    share: 0.5,
  }),
  "sets of three classes": heldOut(300, threeClasses, {
    options: { holdout: 0.5, calibrate: true, sets: 0.9 },
  }),
  "sets by class": heldOut(400, threeClasses, {
    options: { holdout: 0.5, calibrate: true, sets: 0.8, setsBy: "class" },
  }),
  "sets and singleton classes": heldOut(400, withSingletons(0.25), {
    options: { calibrate: true, sets: 0.9 },
    share: 0.5,
    freshShare: 0.5,
  }),
  "sets and few singleton classes": heldOut(400, withSingletons(0.08), {
    options: { calibrate: true, sets: 0.9, holdout: 0.5 },
    share: 0.5,
    freshShare: 0.5,
  }),
  "sets and classes by Zipf's law": heldOut(300, zipfClass, {
    options: { calibrate: true, sets: 0.9, holdout: 0.5 },
    share: 0.5,
    freshShare: 0.5,
  }),
  "sets and an unknown class, 20 rows": unknownClass(20, 0.15),
  "sets and an unknown class, 60 rows": unknownClass(60, 0.1),
  "sets and an unknown class, 200 rows": unknownClass(200, 0.08),
  folds: heldOut(200, noise, { options: { holdout: undefined, folds: 3 } }),
  "training rows alone": heldOut(300, (random) => easy(random, { columns: 2, flipped: 0.1 }), {
    learner: () => stump(),
    options: { holdout: undefined },
  }),
  "choice of a learner": heldOut(200, (random) => ({ ...noise(random, 6), label: coin(random) }), {
    learner: () => byCrossValidation([stump(), forest({ trees: 5 }), logistic()], 3),
    options: { holdout: 0.3 },
    share: 0.25,
  }),
} as const satisfies Readonly<Record<string, Source>>;

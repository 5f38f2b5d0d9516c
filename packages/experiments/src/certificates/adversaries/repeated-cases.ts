import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import { stump } from "@vouch/core/internal/learners/stump/stump";
import type { Random } from "@vouch/core/internal/runtime/maths/random";
import {
  type Case,
  coin,
  type DrawnFiles,
  easy,
  noise,
  normals,
  pick,
  repeat,
  type Source,
  shuffled,
} from "./source.js";

/** Templates that half of the independent cases repeat; their classes are random. */
interface Templates {
  readonly atoms: number;
  readonly rows: number;
  /** The weight of each template; equal by default. */
  readonly weight?: (atom: number) => number;
  /** Number of copies of each case in the file; default 1. */
  readonly times?: number;
  readonly make?: (random: Random) => Case;
}

function templates({ atoms, rows, weight = () => 1, times = 1, make = easy }: Templates) {
  return (random: Random): DrawnFiles => {
    const forms = repeat(atoms, () => make(random));
    const weights = repeat(atoms, weight);
    const one = (other: Random): Case =>
      other.uniform() < 0.5 ? make(other) : { ...pick(forms, weights, other), label: coin(other) };
    const file = (count: number, other: Random) =>
      copied(
        repeat(count / times, () => one(other)),
        times,
      );
    return {
      training: shuffled(file(rows, random), random),
      other: file(rows, random),
      fresh: file,
    };
  };
}

const SAME_TEMPLATES = "cases of the same process, half of them from the same templates";

const withTemplates = (templatesOfFile: Templates, holdout: number): Omit<Source, "other"> => ({
  truth: SAME_TEMPLATES,
  learner: () => forest({ trees: 10 }),
  options: { holdout, calibrate: false },
  draw: templates(templatesOfFile),
  ...(templatesOfFile.times === undefined && { independent: true, warns: "half of the rows repeat others" }),
});

/** Repeats each case `times` times. */
function copied(cases: readonly Case[], times: number): Case[] {
  return cases.flatMap((one) => new Array<Case>(times).fill(one));
}

/** Draws cases with several copies in the file, optionally only of one kind. */
function copies(
  rows: number,
  times: (one: Case) => number,
  make: (random: Random) => Case,
): (random: Random) => DrawnFiles {
  const file = (count: number, random: Random) => {
    const cases: Case[] = [];
    while (cases.length < count) {
      const one = make(random);
      cases.push(...copied([one], times(one)));
    }
    return cases.slice(0, count);
  };
  return (random) => ({
    training: shuffled(file(rows, random), random),
    other: file(rows, random),
    fresh: file,
  });
}

function letters(random: Random): Case {
  const cells = repeat(8, (j) => [`c${j + 1}`, "abcd"[random.integer(4)]]);
  return { ...Object.fromEntries(cells), label: coin(random) };
}

/** Draws a case of a categorical template file: the class follows from one column. */
function easyLetters(random: Random): Case {
  const one = letters(random);
  return { ...one, label: one.c1 === "a" || one.c1 === "b" ? "yes" : "no" };
}

/** Draws a case that is easy if x1 is large, else noise. */
function halfEasy(random: Random): Case {
  const x = normals(4, random);
  return { ...x, label: x.x1 > 0 ? "yes" : coin(random) };
}

const isEasy = ({ x1 }: Case) => Number(x1) > 0;

const OF_THE_PROCESS = "cases of the same process, with its copies";

const copiesOf = (draw: Source["draw"]): Pick<Source, "truth" | "learner" | "options" | "draw"> => ({
  truth: OF_THE_PROCESS,
  learner: () => forest({ trees: 20 }),
  options: { holdout: 0.2, calibrate: false },
  draw,
});

/** Files with equal rows: independent rows that repeat, and copies. */
export const repeatedCases = {
  "12 templates": withTemplates({ atoms: 12, rows: 1000 }, 0.2),
  "20 templates": withTemplates({ atoms: 20, rows: 1000 }, 0.2),
  "100 templates": withTemplates({ atoms: 100, rows: 1000 }, 0.2),
  "20 templates, most rows held out": withTemplates({ atoms: 20, rows: 1000 }, 0.8),
  "100 templates, most rows held out": withTemplates({ atoms: 100, rows: 1000 }, 0.8),
  "templates by Zipf's law": withTemplates({ atoms: 60, rows: 1000, weight: (atom) => 1 / (atom + 1) }, 0.5),
  "templates of categories": withTemplates({ atoms: 20, rows: 1000, make: easyLetters }, 0.3),
  "templates in another file": {
    ...withTemplates({ atoms: 12, rows: 600 }, 0.2),
    options: { calibrate: false },
    other: "certify",
  },
  "templates absent from training": {
    truth: "cases like the rows of the other file, half of them from templates",
    learner: () => forest({ trees: 10 }),
    options: { calibrate: false },
    other: "certify",
    independent: true,
    warns: "half of the rows of the other file repeat others",
    draw(random) {
      const forms = repeat(20, (): Case => {
        const one = easy(random);
        return { ...one, label: one.label === "yes" ? "no" : "yes" };
      });
      const file = (count: number, other: Random) =>
        repeat(count, () => (other.uniform() < 0.5 ? easy(other) : forms[other.integer(forms.length)]));
      return { training: repeat(600, () => easy(random)), other: file(600, random), fresh: file };
    },
  },
  "20 templates in another file": {
    ...withTemplates({ atoms: 20, rows: 600 }, 0.2),
    learner: () => stump(),
    options: { calibrate: false },
    other: "certify",
  },
  "templates and copies": withTemplates({ atoms: 20, rows: 1000, times: 2 }, 0.3),
  "every row twice": copiesOf(copies(400, () => 2, noise)),
  "every row 5 times": copiesOf(copies(500, () => 5, noise)),
  "every row of categories 10 times": copiesOf(copies(800, () => 10, letters)),
  "easy rows 4 times": copiesOf(copies(600, (one) => (isEasy(one) ? 4 : 1), halfEasy)),
  "hard rows 4 times": copiesOf(copies(600, (one) => (isEasy(one) ? 1 : 4), halfEasy)),
  "copies in another file": {
    ...copiesOf(copies(300, () => 3, noise)),
    learner: () => boostedTrees({ rounds: 5 }),
    options: { calibrate: false },
    other: "certify",
  },
  "copies in folds": {
    ...copiesOf(copies(300, () => 3, noise)),
    options: { folds: 3, calibrate: false },
  },
} as const satisfies Readonly<Record<string, Source>>;

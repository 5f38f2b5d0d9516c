import { forest } from "@vouch/core/internal/learners/forest/forest";
import type { Random } from "@vouch/core/internal/runtime/maths/random";
import { type Case, coin, type DrawnFiles, noise, normals, repeat, type Source, shuffled } from "./source.js";

const NEW_CASES = "new cases, not further copies of the old ones";

/** Draws cases of random class, each followed by similar ones of the same class. */
function clusters(
  cases: number,
  times: number,
  similar: (one: Case, random: Random) => Case,
): (random: Random) => DrawnFiles {
  const cluster = (random: Random) => {
    const one = noise(random, 6);
    return [one, ...repeat(times - 1, () => similar(one, random))];
  };
  return (random) => ({
    training: shuffled(repeat(cases, () => cluster(random)).flat(), random),
    fresh: (rows, other) => repeat(rows, () => noise(other, 6)),
  });
}

function jittered(one: Case, random: Random, size = 0.01): Case {
  const cells = Object.entries(one).map(([name, cell]) => [
    name,
    typeof cell === "number" ? cell + size * random.normal() : cell,
  ]);
  return Object.fromEntries(cells);
}

function rounded(one: Case, digits: number): Case {
  const cells = Object.entries(one).map(([name, cell]) => [
    name,
    typeof cell === "number" ? Number(cell.toFixed(digits)) : cell,
  ]);
  return Object.fromEntries(cells);
}

const nearCopies = (draw: Source["draw"], holdout = 0.2) =>
  ({
    truth: NEW_CASES,
    learner: () => forest({ trees: 20 }),
    options: { holdout, calibrate: false },
    draw,
  }) as const satisfies Source;

/** Makes a test file from cases of a training file of equal length and new ones. */
const trainingCasesInTest = (
  { known, rows }: { readonly known: number; readonly rows: number },
  seenAs: (one: Case) => Case = (one) => one,
) =>
  ({
    truth: "new cases",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false },
    other: "certify",
    draw(random) {
      const training = repeat(rows, () => noise(random));
      const others = repeat(rows - known, () => noise(random));
      const other = shuffled([...training.slice(0, known).map(seenAs), ...others], random);
      return { training, other, fresh: (count, random) => repeat(count, () => noise(random)) };
    },
  }) as const satisfies Source;

/** A patient: a class, and where measurements lie. */
interface Patient {
  readonly name: string;
  readonly centre: Readonly<Record<string, number>>;
  readonly label: string;
}

function patient(random: Random): Patient {
  return { name: `p${random.bits()}`, centre: normals(5, random), label: coin(random) };
}

/** Draws a row of a patient: measurements near the patient's centre, and the patient's class. */
function measurement({ name, centre, label }: Patient, random: Random, spread: number): Case {
  const cells = Object.entries(centre).map(([column, value]) => [column, value + spread * random.normal()]);
  return { patient: name, ...Object.fromEntries(cells), label };
}

function withoutPatient({ patient: _, ...cells }: Case): Case {
  return cells;
}

/** Draws groups of rows; their size and difficulty vary. */
function groups(
  count: number,
  size: (random: Random) => number,
  flipped: (size: number) => number,
): (random: Random) => DrawnFiles {
  const group = (random: Random) => {
    const rows = size(random);
    const share = flipped(rows);
    const name = `g${random.bits()}`;
    // A whole group is flipped, so that its errors go together.
    const isTurned = random.uniform() < share;
    return repeat(rows, (): Case => {
      const x = normals(3, random);
      return { group: name, ...x, label: x.x1 > 0 === isTurned ? "no" : "yes" };
    });
  };
  return (random) => ({
    training: repeat(count, () => group(random)).flat(),
    fresh(rows, other) {
      const cases: Case[] = [];
      while (cases.length < rows) cases.push(...group(other));
      return cases;
    },
  });
}

const DAY = 86_400_000;

function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** Random walk from a start; with a memory below 1 it returns to 0. */
function walk(start: number, steps: number, random: Random, memory = 1): number[] {
  let at = start;
  return repeat(steps, () => {
    at = memory * at + random.normal();
    return at;
  });
}

/** Days of three random walks: two columns, and the class by the sign of the third, which lasts for some weeks. */
function days(count: number, random: Random, from = { day: 10_000, x1: 0, x2: 0, z: 0 }) {
  const x1 = walk(from.x1, count, random);
  const x2 = walk(from.x2, count, random);
  const z = walk(from.z, count, random, 0.97);
  return repeat(count, (i) => ({ day: from.day + i + 1, x1: x1[i], x2: x2[i], z: z[i] }));
}

type Day = ReturnType<typeof days>[number];

function caseOf({ day, x1, x2, z }: Day, random: Random): Case {
  return {
    date: dateOf(day),
    x1: x1 + 0.2 * random.normal(),
    x2: x2 + 0.2 * random.normal(),
    label: z + 0.2 * random.normal() > 0 ? "yes" : "no",
  };
}

const DAYS = 500;

/** Files whose rows depend on each other, and test files that depend on the training file. */
export const dependentCases = {
  "every row twice, but for a column": nearCopies(
    clusters(200, 2, (one, random) => ({ ...one, x1: random.normal() })),
  ),
  "every row 3 times, but for a column": nearCopies(
    clusters(150, 3, (one, random) => ({ ...one, x6: random.normal() })),
    0.5,
  ),
  "5 jittered copies": nearCopies(clusters(100, 5, jittered)),
  "2 jittered copies": nearCopies(
    clusters(200, 2, (one, random) => jittered(one, random, 1e-4)),
    0.3,
  ),
  "rounded training file as test file": trainingCasesInTest({ known: 300, rows: 300 }, (one) =>
    rounded(one, 3),
  ),
  "training file to 2 digits as test file": trainingCasesInTest({ known: 300, rows: 300 }, (one) =>
    rounded(one, 2),
  ),
  "half of a test file is rounded training rows": trainingCasesInTest({ known: 100, rows: 200 }, (one) =>
    rounded(one, 4),
  ),
  "training file but for a column as test file": trainingCasesInTest({ known: 200, rows: 200 }, (one) => ({
    ...one,
    x4: Number(one.x4) + 1,
  })),
  "1 training row of 20 test rows": trainingCasesInTest({ known: 1, rows: 20 }),
  "9 training rows of 12 test rows": trainingCasesInTest({ known: 9, rows: 12 }),
  "9 training rows of 20 test rows": trainingCasesInTest({ known: 9, rows: 20 }),
  "20 training rows of 100 test rows": trainingCasesInTest({ known: 20, rows: 100 }),
  "50 training rows of 200 test rows": trainingCasesInTest({ known: 50, rows: 200 }),
  "other rows of the same patients": {
    truth: "cases of new patients",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false, group: "patient", holdout: 0.2 },
    other: "certify",
    draw(random) {
      const patients = repeat(60, () => patient(random));
      const visits = (count: number) =>
        patients.flatMap((one) => repeat(count, () => measurement(one, random, 0.2)));
      return {
        training: visits(5),
        other: visits(3),
        fresh: (rows, other) => repeat(rows, () => measurement(patient(other), other, 0.2)),
      };
    },
  },
  "patients in a column": {
    truth: "cases of new patients",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false, holdout: 0.2 },
    draw(random) {
      const patients = repeat(40, () => patient(random));
      return {
        training: patients.flatMap((one) => repeat(10, () => measurement(one, random, 0.2))),
        fresh: (rows, other) => repeat(rows, () => measurement(patient(other), other, 0.2)),
      };
    },
  },
  "patients without a column": {
    // Nothing distinguishes these rows from independent ones of 40 kinds.
    truth: "further cases of the same patients",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false, holdout: 0.2 },
    draw(random) {
      const patients = repeat(40, () => patient(random));
      const one = (other: Random) =>
        withoutPatient(measurement(patients[other.integer(patients.length)], other, 0.2));
      return {
        training: repeat(400, () => one(random)),
        fresh: (rows, other) => repeat(rows, () => one(other)),
      };
    },
  },
  "few groups": {
    truth: "cases of a new group, each group with the same weight",
    learner: () => forest({ trees: 10 }),
    options: { calibrate: false, group: "group", holdout: 0.5 },
    draw: groups(
      24,
      () => 15,
      () => 0.2,
    ),
    independent: true,
  },
  "unequal groups": {
    truth: "cases of a new group, each group with the same weight",
    learner: () => forest({ trees: 10 }),
    options: { calibrate: false, group: "group", holdout: 0.5 },
    draw: groups(
      120,
      (random) => (random.uniform() < 0.8 ? 1 : 12),
      (size) => (size === 1 ? 0.4 : 0.05),
    ),
    independent: true,
  },
  "random walk with a date": {
    truth: "the days after the last one",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false, holdout: 0.2 },
    draw(random) {
      const past = days(DAYS, random);
      const last = past[past.length - 1];
      return {
        training: past.map((day) => caseOf(day, random)),
        fresh: (rows, other) =>
          repeat(Math.ceil(rows / DAYS), () => days(DAYS, other, last))
            .flat()
            .map((day) => caseOf(day, other)),
      };
    },
  },
  "random walk split by time": {
    truth: "further cases of the days that are held out",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false, holdout: 0.2, time: "date" },
    draw(random) {
      const all = days(DAYS, random);
      const tested = all.slice(-0.2 * DAYS);
      return {
        training: all.map((day) => caseOf(day, random)),
        fresh: (rows, other) => repeat(rows, () => caseOf(tested[other.integer(tested.length)], other)),
      };
    },
  },
  drift: {
    truth: "further cases of the test period",
    learner: () => forest({ trees: 10 }),
    options: { calibrate: false, holdout: 0.2, time: "t" },
    draw(random) {
      const at = (t: number, other: Random): Case => {
        const x = normals(3, other);
        const share = 0.05 + (0.6 * t) / DAYS;
        return { t, ...x, label: x.x1 > 0 === other.uniform() > share ? "yes" : "no" };
      };
      return {
        training: repeat(DAYS, (t) => at(t, random)),
        fresh: (rows, other) => repeat(rows, () => at(DAYS - 1 - other.integer(0.2 * DAYS), other)),
      };
    },
  },
  "mean of the target": {
    truth: "new cases, with means of the classes in the file",
    learner: () => forest({ trees: 20 }),
    options: { calibrate: false, holdout: 0.2 },
    draw(random) {
      const places = 200;
      const cases = repeat(500, () => ({ place: random.integer(places), one: noise(random, 3) }));
      const means = repeat(places, (place) => {
        const own = cases.filter((each) => each.place === place);
        return own.length === 0 ? 0.5 : own.filter(({ one }) => one.label === "yes").length / own.length;
      });
      return {
        training: cases.map(({ place, one }) => ({ mean: means[place], ...one })),
        fresh: (rows, other) =>
          repeat(rows, () => ({ mean: means[other.integer(places)], ...noise(other, 3) })),
      };
    },
  },
} as const satisfies Readonly<Record<string, Source>>;

import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Random } from "@vouch/core/internal/runtime/maths/random";
import type { LearnerChoice } from "@vouch/core/internal/select/choose-learner";
import type { Cell } from "@vouch/core/internal/table/column";
import type { TrainOptions } from "@vouch/core/internal/train/train-options";

/** A row of a data file: cells by column, with the class in `label`. */
export type Case = Readonly<Record<string, Cell>>;

/** Data files of one run, and the source of further cases. */
export interface DrawnFiles {
  readonly training: readonly Case[];
  /** Another file to test on. */
  readonly other?: readonly Case[];
  /** Draws new cases of the kind that `Source.truth` names; if there are groups, whole groups. */
  fresh(rows: number, random: Random): Case[];
}

/** A way in which data files arise; some are meant to make certificates false. */
export interface Source {
  /** The cases that the truth is about. */
  readonly truth: string;
  readonly learner: () => Learner | LearnerChoice;
  /** How to train; with another file, `test` or `certify` says how it is used. */
  readonly options: Omit<TrainOptions, "target" | "test" | "run">;
  /** Whether the other file is used in training or to certify the finished model; absent without another file. */
  readonly other?: "test" | "certify";
  draw(random: Random): DrawnFiles;
  /** Present if rows are independent draws with a correct hold-out, so that no warning excuses a false statement. */
  readonly independent?: true;
  /** Why a grave warning is justified although rows are independent; without a reason it is a false alarm. */
  readonly warns?: string;
  /** Share of the runs of a simulation; default 1, less for slow sources. */
  readonly share?: number;
  /** Share of the fresh cases that the truth is measured on; default 1. */
  readonly freshShare?: number;
}

/** Draws `count` cases. */
export function repeat<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** Draws standard normal columns x1, x2, …. */
export function normals(count: number, random: Random): Record<string, number> {
  const cells: Record<string, number> = {};
  for (let j = 1; j <= count; j++) cells[`x${j}`] = random.normal();
  return cells;
}

/** Draws a class that does not depend on anything. */
export function coin(random: Random): string {
  return random.uniform() < 0.5 ? "no" : "yes";
}

/** Draws a case whose class nobody can predict. */
export function noise(random: Random, columns = 4): Case {
  return { ...normals(columns, random), label: coin(random) };
}

/** Draws a case whose class follows from x1, except for a share of flipped classes. */
export function easy(random: Random, { columns = 4, flipped = 0 } = {}): Case {
  const x = normals(columns, random);
  const isRight = random.uniform() >= flipped;
  return { ...x, label: x.x1 > 0 === isRight ? "yes" : "no" };
}

/** Draws an entry with probability proportional to its weight. */
export function pick<T>(entries: readonly T[], weights: readonly number[], random: Random): T {
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  const place = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return entries[place < 0 ? entries.length - 1 : place];
}

/** Puts cases into random order. */
export function shuffled(cases: readonly Case[], random: Random): Case[] {
  return Array.from(random.shuffle(Int32Array.from(cases.keys())), (row) => cases[row]);
}

/** Draws a file of independent cases, and fresh cases of the same kind. */
export function independently(rows: number, make: (random: Random) => Case): (random: Random) => DrawnFiles {
  return (random) => ({
    training: repeat(rows, () => make(random)),
    fresh: (count, other) => repeat(count, () => make(other)),
  });
}

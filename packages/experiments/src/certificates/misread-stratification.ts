import { Random } from "@vouch/core/internal/runtime/maths/random";
import { randomHoldout, type Split, stratifiedHoldout } from "@vouch/core/internal/table/splits";
import { heldOutBinomial } from "@vouch/core/internal/theory/held-out/held-out";
import * as z from "zod";
import { DELTAS } from "./simulated-runs.js";

const ROWS = 500;
const HOLDOUTS = [0.1, 0.5, 0.9];
/** The error of any classifier on balanced noise. */
const TRUE_ERROR = 0.5;

/** Shape of one row of the table. */
export const misreadSchema = z.strictObject({
  holdout: z.number(),
  delta: z.number(),
  runs: z.int().min(1),
  /** Number of runs in which the bound is below the true error, after each kind of hold-out. */
  stratified: z.int().min(0),
  random: z.int().min(0),
});

/** Failures of a bound from stratified and from random hold-outs, both measured against the true class proportions. */
export type MisreadHoldout = z.infer<typeof misreadSchema>;

/**
 * Counts how often the bound on the majority class's error is below the true error on balanced noise, for stratified
 * and for simple random hold-outs.
 */
export function misreadHoldouts(runs: number, seed: number): MisreadHoldout[] {
  const fails = failureTable();
  return HOLDOUTS.flatMap((holdout) => {
    const failures = DELTAS.map(() => ({ stratified: 0, random: 0 }));
    for (let run = 0; run < runs; run++) {
      const random = new Random(seed).fork(run);
      const labels = Int32Array.from({ length: ROWS }, () => random.integer(2));
      const splitSeed = random.bits();
      const errors = {
        stratified: errorsOfMajority(labels, stratifiedHoldout(labels, holdout, splitSeed)),
        random: errorsOfMajority(labels, randomHoldout(labels.length, holdout, splitSeed)),
      };
      DELTAS.forEach((delta, d) => {
        if (fails(errors.stratified, delta)) failures[d].stratified++;
        if (fails(errors.random, delta)) failures[d].random++;
      });
    }
    return DELTAS.map((delta, d) => ({ holdout, delta, runs, ...failures[d] }));
  });
}

interface TestedMajority {
  readonly rows: number;
  readonly errors: number;
}

/** Returns a function that decides whether a bound is below the true error, and caches the bounds. */
function failureTable(): (tested: TestedMajority, delta: number) => boolean {
  const known = new Map<string, boolean>();
  return ({ rows, errors }, delta) => {
    const key = `${errors} of ${rows} at ${delta}`;
    const fails =
      known.get(key) ?? heldOutBinomial({ rows, errors, confidence: 1 - delta }).value < TRUE_ERROR;
    known.set(key, fails);
    return fails;
  };
}

/**
 * Predicts the most frequent class of the training rows (the first if tied), and counts its errors on the test rows.
 */
function errorsOfMajority(labels: Int32Array, { train, test }: Split): TestedMajority {
  const ones = train.reduce((sum, row) => sum + labels[row], 0);
  const predicted = 2 * ones > train.length ? 1 : 0;
  return { rows: test.length, errors: test.filter((row) => labels[row] !== predicted).length };
}

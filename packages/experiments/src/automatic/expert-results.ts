import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import * as z from "zod";
import { resultsFolder } from "../results-folder.js";

/** A candidate of the expert: its errors, or why it was not measured. */
const candidateSchema = z.object({
  name: z.string(),
  /** Mean error of the five folds. */
  cvError: z.number().optional(),
  /** Error on the test rows of the candidate refitted to all training rows. */
  error: z.number().optional(),
  /** Seconds of a fit that took too long, measured or predicted. */
  tooSlow: z.number().optional(),
  /** Error in the first fold of a slow candidate that was far behind. */
  behind: z.number().optional(),
  failed: z.string().optional(),
});

/** The scikit-learn expert's choice on one split, as written by packages/bench/peers/expert.py. */
export const expertTrialSchema = z.object({
  dataset: z.string(),
  division: z.int().min(0),
  testRows: z.int().min(1),
  chosen: z.string(),
  error: z.number(),
  /** CPU seconds of all fits. */
  seconds: z.number(),
  fitSeconds: z.number(),
  predictSecondsPerRow: z.number(),
  wrongRows: z.array(z.int()),
  candidates: z.array(candidateSchema),
  scikitLearn: z.string(),
  xgboost: z.string(),
});

/** The choice of the scikit-learn expert on one division. */
export type ExpertTrial = z.output<typeof expertTrialSchema>;

const expertFile = new URL("automatic/expert.json", resultsFolder);

/** Reads the recorded results of the expert; empty if they are not beside this package. */
export async function recordedExpert(file: URL = expertFile): Promise<ExpertTrial[]> {
  if (!existsSync(file)) return [];
  const parsed = z.array(expertTrialSchema).safeParse(JSON.parse(await readFile(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new VouchError("file/format", `${fileURLToPath(file)} has no results of the expert.`, {
    hint: "Write it again with import-expert.mjs.",
    cause: parsed.error,
  });
}

/** Merges lines of results, keeping the latest of each split, in the order of data sets and splits. */
export function mergeExpertLines(lines: readonly string[]): ExpertTrial[] {
  const trials = new Map<string, ExpertTrial>();
  for (const line of lines) {
    const trial = expertTrialSchema.parse(JSON.parse(line));
    trials.set(`${trial.dataset} ${trial.division}`, trial);
  }
  const byName = (a: ExpertTrial, b: ExpertTrial) =>
    a.dataset < b.dataset ? -1 : a.dataset > b.dataset ? 1 : a.division - b.division;
  return [...trials.values()].sort(byName);
}

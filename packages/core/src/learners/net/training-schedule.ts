import type { TrainingPlan } from "./training.js";

/** The part of a training plan that may follow the number of rows. */
type Schedule = Pick<TrainingPlan, "weightDecay" | "batchSize" | "epochs" | "patience">;

/** Options of a training, some of them left to the number of rows. */
type ScheduleOptions = { readonly [Name in keyof Schedule]: Schedule[Name] | "auto" } & {
  readonly minSteps: number;
};

const MANY_ROWS: Schedule = { weightDecay: 0.1, batchSize: 100, epochs: 100, patience: 5 };

/**
 * Below this many rows, a tenth of them says too little to stop by, and an epoch is a few steps. Then all rows train, for a fixed
 * number of steps.
 */
const FEW_ROWS = 1000;

const FEW_ROWS_STEPS = 1000;

/** Weight decay times rows: the fewer rows, the more a prior on the weights is worth. */
const DECAY_ROWS = 450;
const MOST_DECAY = 5;

/** Completes options by what suits a number of rows. */
export function scheduleFor<Options extends ScheduleOptions>(
  options: Options,
  rows: number,
): Options & Schedule & { readonly minSteps: number } {
  const isFew = rows < FEW_ROWS;
  const usual = isFew
    ? { weightDecay: Math.min(MOST_DECAY, DECAY_ROWS / rows), batchSize: 32, epochs: 1, patience: 0 }
    : MANY_ROWS;
  const chosen = (name: keyof Schedule): number => {
    const asked = options[name];
    return asked === "auto" ? usual[name] : asked;
  };
  return {
    ...options,
    weightDecay: chosen("weightDecay"),
    batchSize: chosen("batchSize"),
    epochs: chosen("epochs"),
    patience: chosen("patience"),
    minSteps:
      isFew && options.epochs === "auto" ? Math.max(FEW_ROWS_STEPS, options.minSteps) : options.minSteps,
  };
}

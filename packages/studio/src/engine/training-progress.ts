import type { Progress } from "@vouch/core/internal/runtime/parallel/run";

/** The stages of a training, in order. */
export type TrainingStage = "racing" | "training" | "explaining";

/** Progress of a training, as the page shows it. */
export interface TrainingProgress {
  readonly stage: TrainingStage;
  /** Share of the bar that is filled; never decreases. */
  readonly share: number;
  /** The current work, in words. */
  readonly note?: string;
  /** Elapsed and total seconds of the race. */
  readonly seconds?: { readonly done: number; readonly total: number };
}

/** Position of the bar at the end of each stage, for a race and for one learner. */
const RACE_ENDS: Readonly<Record<TrainingStage, number>> = { racing: 0.7, training: 0.85, explaining: 1 };
const SINGLE_ENDS: Readonly<Record<TrainingStage, number>> = { racing: 0, training: 0.75, explaining: 1 };

/**
 * The number of steps in a stage is not known in advance, so each step gets this share of the remaining bar. Steps are
 * the trees of a forest or its calibration, for example.
 */
const SHARE_OF_ROOM = 0.6;

/** Combines the progress reports of all steps into one bar that never runs backwards. */
export class TrainingMeter {
  readonly #ends: Readonly<Record<TrainingStage, number>>;
  #stage: TrainingStage;
  /** The current step, the position of the bar at its start, and its share of the bar. */
  #step = "";
  #from = 0;
  #room = 0;
  /** Progress within the step, from 0 to 1. */
  #within = 0;

  constructor(isRace: boolean) {
    this.#ends = isRace ? RACE_ENDS : SINGLE_ENDS;
    this.#stage = isRace ? "racing" : "training";
  }

  /** Begins the next stage. */
  begin(stage: TrainingStage): TrainingProgress {
    const before = stage === "explaining" ? "training" : "racing";
    this.#stage = stage;
    this.#step = "";
    this.#from = Math.max(this.#share, this.#ends[before]);
    this.#room = 0;
    return { stage, share: this.#share };
  }

  /** Processes a progress report of the current work. */
  report({ stage: step, done, total, unit, note }: Progress): TrainingProgress {
    const within = total ? Math.min(1, done / total) : 0;
    if (step !== this.#step || within < this.#within) this.#nextStep(step);
    this.#within = Math.max(this.#within, within);
    const isTimed = this.#stage === "racing" && unit === "s" && total !== undefined;
    return {
      stage: this.#stage,
      share: this.#share,
      note: note ?? step,
      ...(isTimed && { seconds: { done, total } }),
    };
  }

  #nextStep(step: string): void {
    this.#from = this.#share;
    this.#step = step;
    this.#within = 0;
    const left = this.#ends[this.#stage] - this.#from;
    this.#room = this.#stage === "racing" ? left : SHARE_OF_ROOM * left;
  }

  get #share(): number {
    return this.#from + this.#room * this.#within;
  }
}

import type { Progress } from "@vouch/core/internal/runtime/parallel/run";

/** The parts of a training, in order. */
export type TrainingStage = "racing" | "training" | "explaining";

/** How far a training is, as the page shows it. */
export interface TrainingProgress {
  readonly stage: TrainingStage;
  /** The share of the bar that is filled; it never falls. */
  readonly share: number;
  /** The work under way, in words. */
  readonly note?: string;
  /** The time of the race: so many of so many seconds. */
  readonly seconds?: { readonly done: number; readonly total: number };
}

/** Where the bar is at the end of each stage, of a race and of one learner. */
const RACE_ENDS: Readonly<Record<TrainingStage, number>> = { racing: 0.7, training: 0.85, explaining: 1 };
const SINGLE_ENDS: Readonly<Record<TrainingStage, number>> = { racing: 0, training: 0.75, explaining: 1 };

/**
 * The number of steps in a stage is not known in advance: each step, such as the trees of a forest or its calibration, gets this share of the
 * room that is left.
 */
const SHARE_OF_ROOM = 0.6;

/** Turns the reports of a training, whose bars start over with every step, into one bar that never runs backwards. */
export class TrainingMeter {
  readonly #ends: Readonly<Record<TrainingStage, number>>;
  #stage: TrainingStage;
  /** The step under way, where the bar was at its start, and its share of the bar. */
  #step = "";
  #from = 0;
  #room = 0;
  /** How far the step is, from 0 to 1. */
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

  /** Takes a report of the work under way. */
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

import { useEffect, useState } from "preact/hooks";
import type { TrainingFrame } from "./training-events.js";

/** Milliseconds per step. */
const STEP_TIME = 120;

/** The frame of a training that is shown. */
export interface ShownSteps {
  readonly frames: readonly TrainingFrame[];
  readonly position: number;
  readonly frame: TrainingFrame | undefined;
  readonly isLast: boolean;
  readonly isPlaying: boolean;
  readonly show: (position: number) => void;
  readonly play: (isPlaying: boolean) => void;
}

/** Plays the frames as they arrive; for people who prefer reduced motion, shows the newest at once. */
export function useSteps(frames: readonly TrainingFrame[], training: unknown): ShownSteps {
  const [position, setPosition] = useState(0);
  const [isPlaying, setPlaying] = useState(true);
  const newest = Math.max(0, frames.length - 1);
  useEffect(() => {
    setPosition(0);
    setPlaying(true);
  }, [training]);
  useEffect(() => {
    if (!isPlaying || position >= newest) return undefined;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      setPosition(newest);
      return undefined;
    }
    const timer = setTimeout(() => setPosition(position + 1), STEP_TIME);
    return () => clearTimeout(timer);
  }, [isPlaying, position, newest]);
  const shown = Math.min(position, newest);
  return {
    frames,
    position: shown,
    frame: frames[shown],
    isLast: shown === newest,
    isPlaying,
    show(next) {
      setPlaying(false);
      setPosition(next);
    },
    play(next) {
      if (next && position >= newest) setPosition(0);
      setPlaying(next);
    },
  };
}

interface StepControlProps {
  readonly steps: ShownSteps;
  /** Whether more steps will come. */
  readonly isTraining: boolean;
}

/** Lets the user play the steps of a training or choose one. */
export function StepControl({ steps, isTraining }: StepControlProps) {
  const { frames, frame, isLast, isPlaying } = steps;
  if (frames.length < 2 || !frame) return null;
  const last = frames[frames.length - 1].step;
  const text = `${frame.unit} ${frame.step}${isTraining ? "" : ` of ${last}`}`;
  const isMoving = isPlaying && !isLast;
  return (
    <div class="steps">
      <label for="step">{text}</label>
      <button type="button" onClick={() => steps.play(!isMoving)}>
        {isMoving ? "Pause" : "Play"}
      </button>
      <input
        id="step"
        type="range"
        min={frames[0].step}
        max={last}
        value={frame.step}
        aria-valuetext={text}
        onInput={(event) => steps.show(nextPosition(steps, Number(event.currentTarget.value)))}
      />
    </div>
  );
}

/**
 * Returns the position of the next frame from a step on, or of the last one before it, so that a key always moves the
 * slider.
 */
function nextPosition({ frames, position }: ShownSteps, step: number): number {
  const isForward = step > frames[position].step;
  return isForward
    ? frames.findIndex((frame) => frame.step >= step)
    : frames.findLastIndex((frame) => frame.step <= step);
}

import { useEffect, useReducer, useRef } from "preact/hooks";
import type { LearnerForm } from "../options/learner-form.js";
import type { PlaygroundState } from "./playground-state.js";
import type {
  PlaygroundLearner,
  PlaygroundReply,
  PlaygroundRequest,
  PlaygroundRows,
  TrainingEvent,
  TrainingFrame,
  TrainingOutcome,
} from "./training-events.js";

/** State of the current training. */
export interface TrainingView {
  readonly learners: readonly PlaygroundLearner[];
  readonly form?: LearnerForm;
  readonly rows?: PlaygroundRows;
  readonly frames: readonly TrainingFrame[];
  /** Newest frame of the previous state, shown until this state has one. */
  readonly before?: TrainingFrame;
  readonly outcome?: TrainingOutcome;
  /** Finished training of the previous state, for comparison. */
  readonly previous?: { readonly frame: TrainingFrame; readonly outcome: TrainingOutcome };
  readonly fault?: { readonly message: string; readonly hint?: string };
  readonly progress?: string;
  readonly status: "training" | "done" | "cancelled";
}

type Change =
  | { readonly kind: "learners"; readonly learners: readonly PlaygroundLearner[] }
  | { readonly kind: "start" }
  | { readonly kind: "cancelled" }
  | TrainingEvent;

function changedView(view: TrainingView, change: Change): TrainingView {
  switch (change.kind) {
    case "learners":
      return { ...view, learners: change.learners };
    case "start": {
      const { outcome, fault: _, progress: __, frames, ...kept } = view;
      const frame = frames.at(-1);
      const before = frame ?? view.before;
      const previous = frame && outcome ? { frame, outcome } : view.previous;
      return {
        ...kept,
        ...(before && { before }),
        ...(previous && { previous }),
        frames: [],
        status: "training",
      };
    }
    case "cancelled":
      return view.status === "training" ? { ...view, status: "cancelled" } : view;
    case "form":
      return { ...view, form: change.form };
    case "rows":
      return { ...view, rows: change.rows };
    case "progress":
      return { ...view, progress: change.text };
    case "frame":
      return { ...view, frames: [...view.frames, change.frame] };
    case "done":
      return { ...view, outcome: change.outcome, status: "done" };
    case "failed": {
      const { message, hint } = change;
      const { before: _, ...kept } = view;
      return { ...kept, fault: { message, hint }, status: "done" };
    }
  }
}

/** Trains the newest state in a worker; a new state cancels the previous training. */
export function useTraining(state: PlaygroundState): {
  readonly view: TrainingView;
  readonly cancel: () => void;
} {
  const [view, change] = useReducer(changedView, { learners: [], frames: [], status: "training" });
  const worker = useRef<Worker | undefined>(undefined);
  const newest = useRef(0);
  const send = (request: PlaygroundRequest) => worker.current?.postMessage(request);
  useEffect(() => {
    // The build puts the page scripts into a folder beside this one.
    const own = new Worker(new URL("../playground-worker.js", import.meta.url), {
      type: "module",
      name: "vouch playground",
    });
    own.onmessage = ({ data }: MessageEvent<PlaygroundReply>) => {
      if (data.kind === "learners") change(data);
      else if (data.id === newest.current) change(data.event);
    };
    own.onerror = () => change({ kind: "failed", message: "The worker of the playground could not start." });
    worker.current = own;
    return () => own.terminate();
  }, []);
  useEffect(() => {
    change({ kind: "start" });
    newest.current++;
    send({ kind: "train", id: newest.current, state });
  }, [state]);
  const cancel = () => {
    send({ kind: "cancel" });
    change({ kind: "cancelled" });
  };
  return { view, cancel };
}

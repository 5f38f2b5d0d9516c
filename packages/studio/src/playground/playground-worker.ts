import { learnerLabel, learnerNamed, learnerNames } from "@vouch/core/internal/learners/index";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { learnerFamily } from "../options/learner-families.js";
import { trainState } from "./train-state.js";
import type { PlaygroundReply, PlaygroundRequest, TrainingEvent } from "./training-events.js";

/** Script of the playground's worker. It trains one state at a time, always the newest. */

const reply = (message: PlaygroundReply): void => postMessage(message);

let running = new AbortController();

addEventListener("message", ({ data }: MessageEvent<PlaygroundRequest>) => {
  running.abort();
  if (data.kind === "cancel") return;
  running = new AbortController();
  void train(data.id, data.state, running.signal);
});

async function train(
  id: number,
  state: Extract<PlaygroundRequest, { kind: "train" }>["state"],
  signal: AbortSignal,
): Promise<void> {
  const tell = (event: TrainingEvent) => {
    if (!signal.aborted) reply({ kind: "event", id, event });
  };
  try {
    await trainState(state, tell, signal);
  } catch (fault) {
    tell(faultEvent(fault));
  }
}

function faultEvent(fault: unknown): TrainingEvent {
  const message = fault instanceof Error ? fault.message : String(fault);
  const hint = fault instanceof VouchError ? fault.hint : undefined;
  return { kind: "failed", message, hint };
}

/** Lists all learners by their titles; a learner that cannot be loaded, as without a network, is listed by its name. */
async function listLearners(): Promise<void> {
  const names = learnerNames();
  await Promise.allSettled(names.map(learnerNamed));
  const learners = names.map((name) => ({
    name,
    title: learnerLabel(name).title,
    family: learnerFamily(name),
  }));
  reply({ kind: "learners", learners });
}

void listLearners();

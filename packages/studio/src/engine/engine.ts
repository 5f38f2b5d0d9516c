import { allLearners, learnerNamed } from "@vouch/core/internal/learners/index";
import type { Progress, Run } from "@vouch/core/internal/runtime/parallel/run";
import { type ThreadExecutor, threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import { hardwareThreads } from "@vouch/core/internal/runtime/platform";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { certify } from "@vouch/core/internal/train/certify";
import { deserialise } from "@vouch/core/internal/train/model-file";
import { answerRow, formFields } from "@vouch/views/facts";
import { learnerFamily } from "../options/learner-families.js";
import { learnerForm } from "../options/learner-form.js";
import { cardInAPage } from "./advice.js";
import { type DataToTrain, describeData, readChosenData } from "./chosen-data.js";
import { toFault } from "./fault.js";
import { OpenModels } from "./open-models.js";
import { predictFile } from "./predict-file.js";
import type { Answers, Call, FromEngine, RequestKind, Requests, ToEngine } from "./protocol.js";
import { modelResult, trainModel } from "./train-model.js";
import { TrainingMeter, type TrainingProgress } from "./training-progress.js";

/** Milliseconds between two progress reports. */
const REPORT_EVERY = 50;

/** Learners without a form: the members of an ensemble are learners themselves. */
const NOT_IN_FORMS: readonly string[] = ["ensemble"];

/** One request while it runs. */
interface Task {
  readonly id: number;
  readonly abort: AbortController;
  readonly finish: AbortController;
}

const tasks = new Map<number, Task>();
let data: DataToTrain | undefined;
const models = new OpenModels();

/** Without cross-origin isolation, every thread would need its own copy of the data, so one thread is used. */
const executor: ThreadExecutor = threadExecutor({
  threads: globalThis.crossOriginIsolated ? hardwareThreads() : 1,
});

const handlers: { [K in RequestKind]: (request: Requests[K], task: Task) => Promise<Answers[K]> } = {
  learners: async () =>
    (await allLearners()).map(({ name, title, summary }) => ({
      name,
      title,
      summary,
      family: learnerFamily(name),
      hasForm: !NOT_IN_FORMS.includes(name),
    })),

  form: ({ name, settings }) => learnerForm(name, settings),

  read: async ({ choices, ...file }, task) => {
    const { signal, progress } = createRun(task);
    const read = await readChosenData(file, choices, { signal, onProgress: progress });
    signal.throwIfAborted();
    data = read;
    return describeData(read, choices);
  },

  train: async (plan, task) => {
    if (!data)
      throw new VouchError("data/empty", "There is no data to train on.", { hint: "Choose a file." });
    // Another file may be read before the training ends.
    const own = data;
    const meter = new TrainingMeter(plan.learner === undefined);
    const report = (training: TrainingProgress) => send({ id: task.id, kind: "training", training });
    const run = createRun(task, (progress) => report(meter.report(progress)));
    const start = performance.now();
    const training = await trainModel(own, plan, {
      run,
      finish: task.finish.signal,
      onBoard: (board) => {
        send({ id: task.id, kind: "board", board });
        if (board.chosen !== undefined) report(meter.begin("training"));
      },
    });
    const seconds = (performance.now() - start) / 1000;
    report(meter.begin("explaining"));
    const result = await modelResult(own, training, plan, run);
    run.signal.throwIfAborted();
    return { ...result, seconds, number: models.add(training.classifier) };
  },

  open: async ({ name, model }) => {
    const opened = await deserialise(model).catch((error: unknown) => {
      throw named(name, error);
    });
    const [quoted] = certify(opened);
    const { abstention } = opened.decision;
    return {
      number: models.add(opened),
      model,
      title: (await learnerNamed(opened.card.learner)).title,
      card: cardInAPage(opened.card),
      target: opened.encoder.schema.target,
      quoted,
      abstention,
      fields: formFields(opened),
    };
  },

  ask: ({ model, row }) => answerRow(models.numbered(model), row),

  predict: ({ model, ...file }, task) => predictFile(models.numbered(model), file, createRun(task)),
};

/** Names the file in an error. */
function named(name: string, error: unknown): unknown {
  if (!(error instanceof VouchError)) return error;
  const { code, message, hint } = error;
  return new VouchError(code, `${name}: ${message}`, { hint, cause: error });
}

function createRun(
  { id, abort }: Task,
  report: (progress: Progress) => void = (progress) => send({ id, kind: "progress", progress }),
): Omit<Run, "seed" | "signal"> & { readonly signal: AbortSignal } {
  let last = Number.NEGATIVE_INFINITY;
  return {
    executor,
    signal: abort.signal,
    progress: (progress: Progress) => {
      const now = performance.now();
      if (now - last < REPORT_EVERY) return;
      last = now;
      report(progress);
    },
  };
}

function send(message: FromEngine): void {
  postMessage(message);
}

async function handle<K extends RequestKind>({ id, kind, request }: Call<K>): Promise<void> {
  const task = { id, abort: new AbortController(), finish: new AbortController() };
  tasks.set(id, task);
  try {
    send({ id, kind: "done", answer: await handlers[kind](request, task) });
  } catch (error) {
    send({ id, kind: "failed", fault: toFault(error) });
  } finally {
    tasks.delete(id);
  }
}

addEventListener("message", ({ data: message }: MessageEvent<ToEngine>) => {
  const { id } = message;
  if (message.kind === "abort") tasks.get(id)?.abort.abort();
  else if (message.kind === "finish") tasks.get(id)?.finish.abort();
  else void handle(message);
});

import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { TeamWords } from "../../runtime/parallel/team.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Scope } from "../../runtime/wasm/arena.js";
import { wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { earlyStoppingSplit } from "../early-stopping.js";
import { dropoutOf } from "./dropout.js";
import { imageShifts } from "./image-shifts.js";
import { NetworkBuffers } from "./network-buffers.js";
import { type NetworkWeights, weightsFit } from "./network-weights.js";
import { NonzeroRows } from "./nonzero-rows.js";
import { areMostlyZero, batchRows, inSinglePrecision } from "./row-source.js";
import {
  epochsOf,
  type TrainedNetwork,
  type TrainingInput,
  type TrainingPlan,
  trainTask,
} from "./training.js";

/** Additions and multiplications of a step that are worth a worker of their own: about 30 microseconds. */
const WORK_PER_WORKER = 1_000_000;

/** Additions and multiplications in a millisecond, very roughly; only for estimates of time. */
const WORK_PER_MILLISECOND = 25_000_000;

/**
 * Trains a network from given weights. The sample must have finite features and no rows of weight 0. The last of the sizes is
 * the number of classes, or 1 for a logistic output of two classes.
 *
 * The work of each batch is divided over the threads of the run such that the result depends only on the seed. With early
 * stopping, the weights of the epoch with the fewest held-out errors are kept (ties go to the smallest held-out loss), otherwise
 * those of the last epoch. If training diverges, it stops with the best weights so far.
 */
export async function trainNetwork(
  sample: Sample<Matrix>,
  initial: NetworkWeights,
  plan: TrainingPlan,
  run: Run,
): Promise<TrainedNetwork> {
  if (!weightsFit(initial)) {
    const units = initial.sizes.join("-");
    throw new VouchError("option/invalid", `The weights do not fit a network of ${units} units.`);
  }
  const memory = new Scope();
  try {
    return await trainTogether(sample, initial, plan, run, memory);
  } finally {
    memory.release();
  }
}

async function trainTogether(
  sample: Sample<Matrix>,
  initial: NetworkWeights,
  plan: TrainingPlan,
  run: Run,
  memory: Scope,
): Promise<TrainedNetwork> {
  const { train, test } = earlyStoppingSplit("a network", sample.labels, plan, run.seed);
  const { columns } = sample.features;
  const executor = wasmMemory().shared ? run.executor : inlineExecutor();
  const singles = inSinglePrecision(sample.features, plan.inputLimit, sample.featureNames);
  const values = executor.threads > 1 ? onSharedMemory(singles) : singles;
  const rowCount = train?.length ?? sample.rows;
  const batch = Math.min(plan.batchSize, rowCount);
  const work = 6 * initial.weights.reduce((sum, { length }) => sum + length, 0);
  const workers = Math.max(1, Math.min(executor.threads, Math.floor((work * batch) / WORK_PER_WORKER)));
  const sparse = areMostlyZero(values, columns);
  const inputsChange = Boolean(plan.shift) || dropoutOf(plan, 0) > 0;
  const lists =
    sparse && !inputsChange ? NonzeroRows.allocate({ rows: sample.rows, columns, values }) : undefined;
  const source = lists && memory.hold(lists).fields;
  const shape = { form: formOf(plan), rows: batch, settings: plan, sparse, source, workers };
  const network = memory.hold(NetworkBuffers.allocate(initial, shape));
  const common = {
    network: network.fields,
    rows: batchRows(sample, values),
    ...(plan.shift && { shifts: imageShifts(sample.featureNames, values, plan.shift) }),
    team: memory.hold(new TeamWords(wasmMemory())).pointer,
    ...{ plan, train, test, workers, classes: sample.classes.length, seed: run.seed },
  };
  const epochs = epochsOf(plan, rowCount);
  const inputs = Array.from({ length: workers }, (_, worker): TrainingInput => ({ ...common, worker }));
  const [trained] = await executor.map(trainTask, inputs, {
    ...(run.signal && { signal: run.signal }),
    milliseconds: (epochs * rowCount * work) / WORK_PER_MILLISECOND,
    // Only the leader reports progress; the others end with it.
    onProgress: (done, _, note) => {
      if (note === undefined) return;
      run.progress({ stage: "training", done: Math.round(done * epochs), total: epochs, note });
    },
  });
  if (!trained) throw new TypeError("The first worker has not led the training.");
  return trained;
}

function formOf({ activation, output }: TrainingPlan): Pick<TrainingPlan, "activation" | "output"> {
  return { activation, output };
}

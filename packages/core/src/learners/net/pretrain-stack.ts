import { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { PretrainedLayer } from "./network.js";
import { singleRows, squaredDistance, type TiedLayer } from "./pretrain-layer.js";

/** How layers of any kind are pre-trained. */
export interface PretrainSchedule {
  /** Units of each hidden layer, from the input up. */
  readonly layers: readonly number[];
  /** Epochs per layer; 0 keeps the initial weights. */
  readonly epochs: number;
  /** Rows per mini-batch, or all rows if there are fewer. */
  readonly batch: number;
}

/** A layer that is being trained. */
export interface LearningLayer {
  /** Copies the current weights and biases. */
  layer(): TiedLayer;
  /** Replaces weights and biases. */
  load(layer: TiedLayer): void;
  /** Updates the layer by some of its rows; returns how well it knew them before. */
  learn(rows: Int32Array, random: Random): BatchSums;
  /** Frees the memory that learning takes. */
  release(): void;
}

/** Sums over the rows of a batch. */
interface BatchSums {
  /** Σ ‖z − Φ(z)‖². */
  readonly distance: number;
  /** Only of restricted Boltzmann machines. */
  readonly freeEnergy?: number;
}

/** Pre-trained hidden layers, from the input up. */
export interface PretrainedStack {
  readonly layers: readonly TiedLayer[];
  readonly facts: readonly PretrainedLayer[];
}

/** An epoch is undone if the reconstruction error is this many times that of the first epoch. */
const DIVERGED = 10;

/** Rows that a trained layer encodes at a time. */
const BLOCK_ROWS = 512;

/** A kind of layers to pre-train. */
export interface LayerKind<Plan extends PretrainSchedule> {
  readonly name: string;
  /** Makes a layer with initial weights for the given rows. */
  start(plan: Plan, rows: Matrix, units: number, level: number, random: Random): LearningLayer;
  /** Computes the inputs of the next layer. */
  encode(plan: Plan, layer: TiedLayer, rows: Matrix): Matrix;
  /** Reconstructs the rows of a level from their codes. */
  decode(plan: Plan, layer: TiedLayer, codes: Matrix, level: number): Matrix;
}

interface FinishedLayer {
  readonly layer: TiedLayer;
  readonly facts: PretrainedLayer;
  /** The inputs of the next layer. */
  readonly codes: Matrix;
}

/**
 * The layers that were pre-trained on features still in use, by plan and layers below: candidates of a selection with the
 * same first layers share them.
 */
const finishedOn = new WeakMap<Matrix, Map<string, FinishedLayer>>();

/**
 * Pre-trains hidden layers greedily (Hinton 2006; thesis, §4.4): each is fitted to the codes of the one below. The same
 * seed gives the same weights; each layer has a random stream of its own, so that layers above do not change it. Features
 * must not change while they are in use: layers that were pre-trained on them in the same way are reused.
 */
export async function pretrainStack<Plan extends PretrainSchedule>(
  kind: LayerKind<Plan>,
  features: Matrix,
  plan: Plan,
  run: Run,
): Promise<PretrainedStack> {
  checkSchedule(plan);
  checkVarying(features);
  const known = finishedOn.get(features) ?? new Map<string, FinishedLayer>();
  finishedOn.set(features, known);
  const stack: FinishedLayer[] = [];
  for (const [level, units] of plan.layers.entries()) {
    const rows = level === 0 ? features : stack[level - 1].codes;
    const key = JSON.stringify([kind.name, run.seed, { ...plan, layers: plan.layers.slice(0, level + 1) }]);
    const finished = known.get(key) ?? (await finishLayer(kind, rows, plan, level, units, run));
    known.set(key, finished);
    stack.push(finished);
  }
  return { layers: stack.map(({ layer }) => layer), facts: stack.map(({ facts }) => facts) };
}

async function finishLayer<Plan extends PretrainSchedule>(
  kind: LayerKind<Plan>,
  rows: Matrix,
  plan: Plan,
  level: number,
  units: number,
  run: Run,
): Promise<FinishedLayer> {
  const random = new Random(run.seed).fork(level);
  const learning = kind.start(plan, rows, units, level, random);
  const stage = `pre-training layer ${level + 1} of ${plan.layers.length}`;
  try {
    const history = await trainLayer(learning, rows, plan, stage, random, run);
    const layer = learning.layer();
    const { codes, error } = await encodeAll(kind, plan, layer, rows, level, run);
    return { layer, facts: { error, ...history }, codes };
  } finally {
    learning.release();
  }
}

async function trainLayer(
  learning: LearningLayer,
  rows: Matrix,
  { epochs: total, batch }: PretrainSchedule,
  stage: string,
  random: Random,
  run: Run,
): Promise<Omit<PretrainedLayer, "error">> {
  const order = Int32Array.from({ length: rows.rows }, (_, i) => i);
  const epochs: number[] = [];
  const freeEnergies: number[] = [];
  for (let epoch = 0; epoch < total; epoch++) {
    const before = learning.layer();
    random.shuffle(order);
    let [distance, freeEnergy, hasEnergy] = [0, 0, false];
    for (let first = 0; first < order.length; first += batch) {
      await checkpoint(run);
      const found = learning.learn(order.subarray(first, first + batch), random);
      distance += found.distance / order.length;
      freeEnergy += (found.freeEnergy ?? 0) / order.length;
      hasEnergy = found.freeEnergy !== undefined;
      const note = epoch > 0 && `reconstruction error ${formatNumber(epochs[epoch - 1])}`;
      run.progress({ stage, done: epoch + first / order.length, total, ...(note && { note }) });
    }
    if (!(distance <= DIVERGED * (epochs[0] ?? Number.MAX_VALUE)) || !allFinite(learning.layer())) {
      learning.load(before);
      return { epochs, ...(hasEnergy && { freeEnergies }), divergedIn: epoch + 1 };
    }
    epochs.push(distance);
    if (hasEnergy) freeEnergies.push(freeEnergy);
  }
  return { epochs, ...(freeEnergies.length > 0 && { freeEnergies }) };
}

async function encodeAll<Plan extends PretrainSchedule>(
  kind: LayerKind<Plan>,
  plan: Plan,
  layer: TiedLayer,
  rows: Matrix,
  level: number,
  run: Run,
): Promise<{ codes: Matrix; error: number }> {
  const { rows: units } = layer.weights;
  const codes = new Matrix(rows.rows, units, new Float32Array(rows.rows * units));
  let distance = 0;
  for (let first = 0; first < rows.rows; first += BLOCK_ROWS) {
    await checkpoint(run);
    const last = Math.min(first + BLOCK_ROWS, rows.rows);
    const part = singleRows(
      rows,
      Int32Array.from({ length: last - first }, (_, i) => first + i),
    );
    const encoded = kind.encode(plan, layer, part);
    codes.values.set(encoded.values, first * units);
    distance += squaredDistance(part, kind.decode(plan, layer, encoded, level));
  }
  return { codes, error: distance / rows.rows };
}

function allFinite({ weights, hiddenBiases, visibleBiases }: TiedLayer): boolean {
  return [weights.values, hiddenBiases, visibleBiases].every((values) => {
    let probe = 0;
    for (let k = 0; k < values.length; k++) probe += 0 * values[k];
    return probe === 0;
  });
}

function checkSchedule({ layers, epochs, batch }: PretrainSchedule): void {
  const wrong = layers.find((units) => !(Number.isSafeInteger(units) && units >= 1));
  if (wrong !== undefined || layers.length === 0) {
    throw new VouchError(
      "option/invalid",
      layers.length === 0
        ? "There are no layers to pre-train."
        : `A layer to pre-train has ${wrong} hidden units.`,
      { hint: "Give each hidden layer at least one unit, as in layers=100,10." },
    );
  }
  if (!(Number.isSafeInteger(epochs) && epochs >= 0 && Number.isSafeInteger(batch) && batch >= 1)) {
    throw new VouchError(
      "option/invalid",
      `Layers cannot be pre-trained in ${epochs} epochs with batches of ${batch} rows.`,
    );
  }
}

/** Checks that rows differ: from equal rows a layer learns only its biases. */
function checkVarying({ rows, columns, values }: Matrix): void {
  if (rows === 0) throw new VouchError("data/no-rows", "There are no rows to pre-train on.");
  for (let k = columns; k < values.length; k++) if (values[k] !== values[k % columns]) return;
  throw new VouchError(
    "data/no-features",
    `All features are constant in the ${formatCount(rows, "row")}, so there is nothing to pre-train on.`,
    { hint: "Provide rows that differ." },
  );
}

import type { TaskContext } from "../../runtime/parallel/executor.js";
import { Team } from "../../runtime/parallel/team.js";
import { copyShiftedRows, type ImageShifts } from "./image-shifts.js";
import { NetworkBuffers, type NetworkBuffersFields } from "./network-buffers.js";
import { type BatchRows, copyRows } from "./row-source.js";
import { ROW_STEP } from "./unit-rows.js";

/** What each worker of a team gets; structured-cloneable. */
export interface NetworkTeamInput {
  readonly network: NetworkBuffersFields;
  readonly rows: BatchRows;
  /** How the images of a step are moved; absent if they are not. */
  readonly shifts?: ImageShifts | undefined;
  /** Address of the words that the team shares. */
  readonly team: number;
  readonly workers: number;
  readonly worker: number;
}

/** Weights of some inputs of a layer. */
interface UpdateItem {
  readonly layer: number;
  readonly begin: number;
  readonly end: number;
}

// Kinds of jobs.
const SUMS = 0;
const DERIVATIVES = 1;
const UPDATE = 2;

/** Several items per worker, so that nobody waits long for the last one. */
const ITEMS_PER_WORKER = 3;

/** Inputs are divided at multiples of this. */
const INPUT_STEP = 8;

/**
 * The workers that compute the steps of a training. A step is two jobs: losses and derivatives, divided by rows, and the update
 * of the weights, divided by inputs. The leader posts them; with one worker it does them alone.
 */
export class NetworkTeam {
  readonly network: NetworkBuffers;
  readonly #workers: number;
  readonly #rows: BatchRows;
  readonly #shifts: ImageShifts | undefined;
  readonly #updates: readonly UpdateItem[];
  readonly #team: Team;

  constructor({ network, rows, shifts, team, workers, worker }: NetworkTeamInput, context: TaskContext) {
    this.network = NetworkBuffers.view(network, worker);
    this.#workers = workers;
    this.#rows = rows;
    this.#shifts = shifts;
    this.#updates = updateItems(this.network, workers);
    this.#team = new Team(this.network.layers[0].memory, team, workers, this.#work, context);
  }

  /**
   * Takes a step along the gradient of the loss of the batch; the seed determines dropped units and shifts. Returns the weighted
   * sum of losses before.
   */
  async learn(rows: number, rateShare: number, seed: number): Promise<number> {
    this.network.prepareRandomness(seed);
    await this.#team.share(DERIVATIVES, this.#rowItems(rows), rows);
    this.network.prepareStep(rateShare);
    await this.#team.share(UPDATE, this.#updates.length, rows);
    return this.network.loss(rows);
  }

  /** Computes the weighted sums of losses and errors of the batch; nothing changes. */
  async evaluate(rows: number): Promise<{ loss: number; error: number }> {
    await this.#team.share(SUMS, this.#rowItems(rows), rows);
    return this.network.evaluate(rows);
  }

  /** Works for the leader until `finish`. */
  serve(): Promise<void> {
    return this.#team.serve();
  }

  /** Dismisses the other workers, as the leader. */
  finish(): void {
    this.#team.finish();
  }

  readonly #work = (kind: number, item: number, rows: number): undefined => {
    if (kind === UPDATE) {
      const { layer, begin, end } = this.#updates[item];
      this.network.update(layer, begin, end, rows);
      return;
    }
    const step = this.#rowsPerItem(rows);
    const [begin, end] = [item * step, Math.min(rows, (item + 1) * step)];
    this.#takeRows(kind === DERIVATIVES, begin, end);
    if (kind === SUMS) this.network.sums(begin, end);
    else this.network.differentiate(begin, end);
  };

  /** Copies rows of the source to the input of the network, or chooses their lists. */
  #takeRows(isStep: boolean, begin: number, end: number): void {
    const { network } = this;
    const { values, columns } = this.#rows;
    const { lists } = network.input;
    if (lists?.source) lists.choose(network.places(), begin, end);
    else if (isStep && this.#shifts) {
      copyShiftedRows(this.#shifts, values, network.places(), network.input, begin, end, network.stepSeed);
    } else copyRows(values, columns, network.places(), network.input, begin, end);
  }

  #rowItems(rows: number): number {
    return Math.ceil(rows / this.#rowsPerItem(rows));
  }

  /** Few rows would pass all weights through the cache for little work, so there is one item per worker. */
  #rowsPerItem(rows: number): number {
    return Math.ceil(rows / (ROW_STEP * this.#workers)) * ROW_STEP;
  }
}

/** Divides the weights of all layers into items of similar size, large layers first. */
function updateItems({ layers }: NetworkBuffers, workers: number): UpdateItem[] {
  const total = layers.reduce((sum, { depth, outputs }) => sum + depth * outputs, 0);
  const size = workers === 1 ? total : Math.ceil(total / (workers * ITEMS_PER_WORKER));
  const items = layers.flatMap(({ depth, outputs }, layer) => {
    const step = Math.ceil(size / outputs / INPUT_STEP) * INPUT_STEP;
    return Array.from({ length: Math.ceil(depth / step) }, (_, k) => ({
      layer,
      begin: k * step,
      end: Math.min(depth, (k + 1) * step),
    }));
  });
  const weightsOf = ({ layer, begin, end }: UpdateItem) => (end - begin) * layers[layer].outputs;
  return items.sort((a, b) => weightsOf(b) - weightsOf(a));
}

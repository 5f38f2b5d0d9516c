import { nextTurn } from "../../runtime/parallel/event-loop.js";
import { ALL_CONVERGED, sumUnconverged, type Unconverged } from "./node-machine.js";

export interface NodeRequest {
  /** Ascending. */
  readonly rows: Int32Array;
  /** See `CascadeSpace`. */
  readonly choice: number;
  /** Whether to find its gates; a last node needs none. */
  readonly gated: boolean;
}

/** A gate of a trained node, with the errors of the node's leaf on the rows that stay. */
export interface TrainedGate {
  /** Index of its fraction. */
  readonly fraction: number;
  /** The rows that go on, ascending: neither none nor all. */
  readonly rows: Int32Array;
  /** m_k⁺ and m_k⁻ of the rows that stay. */
  readonly correct: number;
  readonly wrong: number;
  /** ‖w‖ of the classifier of the rows that stay, if it is not that of the node. */
  readonly norm?: number;
}

/** A trained node as the search sees it: a function of the rows and the choice alone. */
export interface TrainedNode {
  /** m_k⁺ and m_k⁻ if all rows end here. */
  readonly correct: number;
  readonly wrong: number;
  /** ‖w‖ of kernel classifiers, 0 for others. */
  readonly norm: number;
  /** By ascending fraction, without those that pass on all rows or none; empty if they were not requested. */
  readonly gates: readonly TrainedGate[];
  /** Solver runs that did not converge: those of the classifier, and those of further classifiers for the gates. */
  readonly unconverged: Unconverged;
  readonly unconvergedGates: Unconverged;
}

/** Trains nodes; each result depends on its request alone. */
export interface NodeTrainer {
  /** Number of `train` that can run at the same time. */
  readonly threads: number;
  /** Estimates how long a node takes, in milliseconds. */
  milliseconds(request: NodeRequest): number;
  /** Trains nodes one after the other, on some thread; results come in the order of the requests. */
  train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]>;
}

/** A set of rows that reach a node, and what is known about the nodes on it, by choice. */
export interface Subset {
  /** Ascending. */
  readonly rows: Int32Array;
  readonly nodes: (KnownNode | undefined)[];
  /** How far nodes are being trained or have been, and how far the search has wanted them. */
  readonly requested: Extent[];
  readonly wanted: Extent[];
}

/** The parts of a node: none (or undefined), the leaf of a last node, or the gates as well. */
type Extent = undefined | 1 | 2;

/** A trained node, with the sets of rows that its gates pass on. */
export interface KnownNode extends Omit<TrainedNode, "gates"> {
  /** Absent if the node was only trained as a last one so far. */
  readonly gates: readonly KnownGate[] | undefined;
}

/** A gate, with the rows that it passes on as a set that is known by identity. */
export interface KnownGate extends Omit<TrainedGate, "rows"> {
  readonly subset: Subset;
}

/** A request for a node that may be known already. */
export interface WantedNode extends Omit<NodeRequest, "rows"> {
  readonly subset: Subset;
}

/** Nodes are sent to a thread together until they take about this many milliseconds; a message takes 0.1 ms. */
const TASK_MILLISECONDS = 4;

/** A search for nodes to train in advance skips at least this many that are known. */
const FEW_NODES = 64;

/** With several threads, this many nodes are taken between two turns of the event loop, which brings results of threads. */
const NODES_PER_TURN = 64;

/**
 * All nodes that were ever trained on a sample, by (set of rows, choice): cascades with different prefixes often
 * pass on the same rows. Nothing here depends on γ or on how complexity is measured, so one collection serves
 * the searches for all of them.
 */
export class SubProblems {
  /** All rows of the sample. */
  readonly root: Subset;
  readonly #trainer: NodeTrainer;
  readonly #byHash = new Map<number, Subset[]>();
  readonly #inWork = new Set<Promise<void>>();
  /** Estimated milliseconds of the nodes in work, and their number. */
  #work = 0;
  #nodes = 0;
  #failure: { readonly error: unknown } | undefined;
  #wake = () => {};
  #taken = 0;
  #trained = 0;
  #unconverged = ALL_CONVERGED;

  constructor(rows: Int32Array, trainer: NodeTrainer) {
    this.#trainer = trainer;
    this.root = this.subsetOf(rows);
  }

  /** The number of nodes that searches have wanted: those trained in advance are not counted before. */
  get trained(): number {
    return this.#trained;
  }

  /** The solver runs for these nodes that did not converge. */
  get unconverged(): Unconverged {
    return this.#unconverged;
  }

  /**
   * Makes sure that a node is known; undefined if it is. `upcoming` lists nodes that will probably be wanted next, the most
   * likely first: free threads train them in advance.
   */
  provide(node: WantedNode, upcoming: () => Iterable<WantedNode>): Promise<void> | undefined {
    if (!isKnown(node)) return this.#wait(node, upcoming);
    this.#note(node);
    return this.#inWork.size > 0 && ++this.#taken % NODES_PER_TURN === 0 ? this.#turn(upcoming) : undefined;
  }

  /** Waits until no thread trains nodes. */
  async settled(): Promise<void> {
    await Promise.all(this.#inWork);
  }

  async #wait(node: WantedNode, upcoming: () => Iterable<WantedNode>): Promise<void> {
    while (!isKnown(node)) {
      const result = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#fill(node, upcoming);
      await result;
      if (this.#failure) throw this.#failure.error;
    }
    this.#note(node);
  }

  async #turn(upcoming: () => Iterable<WantedNode>): Promise<void> {
    await nextTurn();
    if (this.#failure) throw this.#failure.error;
    this.#fill(undefined, upcoming);
  }

  /** Counts a node that a search wants, once. */
  #note({ subset, choice, gated }: WantedNode): void {
    const extent = gated ? 2 : 1;
    if ((subset.wanted[choice] ?? 0) >= extent) return;
    subset.wanted[choice] = extent;
    this.#trained++;
    const node = subset.nodes[choice];
    if (!node) return;
    if (node.unconverged.count > 0) this.#unconverged = sumUnconverged(this.#unconverged, node.unconverged);
    if (gated && node.unconvergedGates.count > 0)
      this.#unconverged = sumUnconverged(this.#unconverged, node.unconvergedGates);
  }

  /** Gives the free threads nodes to train: the one that is needed, then upcoming ones. */
  #fill(needed: WantedNode | undefined, upcoming: () => Iterable<WantedNode>): void {
    let nodes: WantedNode[] = [];
    let milliseconds = 0;
    const add = (node: WantedNode): boolean => {
      const { subset, choice, gated } = node;
      const extent = gated ? 2 : 1;
      if ((subset.requested[choice] ?? 0) >= extent) return false;
      subset.requested[choice] = extent;
      nodes.push(node);
      milliseconds += this.#trainer.milliseconds({ rows: subset.rows, choice, gated });
      if (milliseconds < TASK_MILLISECONDS) return true;
      this.#start(nodes, milliseconds);
      nodes = [];
      milliseconds = 0;
      return true;
    };
    if (needed) add(needed);
    if (this.#isFree()) {
      // Nodes in work are among the upcoming ones; behind as many others there are hardly any new ones.
      let known = 2 * this.#nodes + FEW_NODES;
      for (const node of upcoming()) {
        if (!add(node) && --known < 0) break;
        if (nodes.length === 0 && !this.#isFree()) break;
      }
    }
    if (nodes.length > 0) this.#start(nodes, milliseconds);
  }

  /** Returns whether more nodes should be in work. Short tasks are queued, so that no thread waits for this one. */
  #isFree(): boolean {
    const { threads } = this.#trainer;
    const tasks = this.#inWork.size;
    if (tasks < threads) return true;
    return threads > 1 && tasks < 2 * threads && this.#work < 2 * threads * TASK_MILLISECONDS;
  }

  #start(nodes: readonly WantedNode[], milliseconds: number): void {
    const work = this.#train(nodes)
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#inWork.delete(work);
        this.#work -= milliseconds;
        this.#nodes -= nodes.length;
        this.#wake();
      });
    this.#inWork.add(work);
    this.#work += milliseconds;
    this.#nodes += nodes.length;
  }

  async #train(nodes: readonly WantedNode[]): Promise<void> {
    const requests = nodes.map(({ subset, choice, gated }) => ({ rows: subset.rows, choice, gated }));
    const trained = await this.#trainer.train(requests);
    nodes.forEach(({ subset, choice, gated }, i) => {
      if (subset.nodes[choice]?.gates) return;
      const { gates, ...node } = trained[i];
      subset.nodes[choice] = { ...node, gates: gated ? gates.map((gate) => this.#known(gate)) : undefined };
    });
  }

  #known({ rows, ...gate }: TrainedGate): KnownGate {
    return { ...gate, subset: this.subsetOf(rows) };
  }

  /** Returns the one subset with these rows. */
  subsetOf(rows: Int32Array): Subset {
    const hash = hashOf(rows);
    const alike = this.#byHash.get(hash);
    const known = alike?.find((subset) => sameRows(subset.rows, rows));
    if (known) return known;
    const subset: Subset = { rows, nodes: [], requested: [], wanted: [] };
    if (alike) alike.push(subset);
    else this.#byHash.set(hash, [subset]);
    return subset;
  }
}

/** Returns the rows that are not among some of them; both ascend. */
export function without(rows: Int32Array, some: Int32Array): Int32Array {
  let next = 0;
  return rows.filter((row) => {
    if (some[next] !== row) return true;
    next++;
    return false;
  });
}

function isKnown({ subset, choice, gated }: WantedNode): boolean {
  const node = subset.nodes[choice];
  return node !== undefined && (!gated || node.gates !== undefined);
}

/** Hashes the row numbers by FNV-1a. */
function hashOf(rows: Int32Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < rows.length; i++) hash = Math.imul(hash ^ rows[i], 0x01000193) ^ (hash >>> 15);
  return hash;
}

function sameRows(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

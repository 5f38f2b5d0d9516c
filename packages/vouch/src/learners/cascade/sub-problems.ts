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
}

/** Trains nodes; results come in the order of the requests, and each depends on its request alone. */
export interface NodeTrainer {
  train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]>;
}

/** A set of rows that reach a node, and the nodes that were trained on it, by choice. */
export interface Subset {
  /** Ascending. */
  readonly rows: Int32Array;
  readonly nodes: (KnownNode | undefined)[];
}

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

/**
 * All nodes that were ever trained on a sample, by (set of rows, choice): cascades with different beginnings often
 * pass on the same rows. Nothing here depends on γ or on how complexity is measured, so one collection serves
 * the searches for all of them.
 */
export class SubProblems {
  /** All rows of the sample. */
  readonly root: Subset;
  readonly #trainer: NodeTrainer;
  readonly #byHash = new Map<number, Subset[]>();
  #trained = 0;

  constructor(rows: Int32Array, trainer: NodeTrainer) {
    this.#trainer = trainer;
    this.root = this.#subsetOf(rows);
  }

  /** The number of nodes trained. */
  get trained(): number {
    return this.#trained;
  }

  /** Trains those of the nodes that are not known yet, each once. */
  async provide(nodes: readonly WantedNode[]): Promise<void> {
    const missing = new Map<Subset, Map<number, boolean>>();
    for (const { subset, choice, gated } of nodes) {
      const known = subset.nodes[choice];
      if (known && (known.gates || !gated)) continue;
      const choices = missing.get(subset) ?? new Map<number, boolean>();
      choices.set(choice, gated || choices.get(choice) === true);
      missing.set(subset, choices);
    }
    const wanted = [...missing].flatMap(([subset, choices]) =>
      [...choices].map(([choice, gated]) => ({ subset, choice, gated })),
    );
    if (wanted.length === 0) return;
    const requests = wanted.map(({ subset, choice, gated }) => ({ rows: subset.rows, choice, gated }));
    const trained = await this.#trainer.train(requests);
    this.#trained += wanted.length;
    wanted.forEach(({ subset, choice, gated }, i) => {
      const { gates, ...node } = trained[i];
      subset.nodes[choice] = { ...node, gates: gated ? gates.map((gate) => this.#known(gate)) : undefined };
    });
  }

  #known({ rows, ...gate }: TrainedGate): KnownGate {
    return { ...gate, subset: this.#subsetOf(rows) };
  }

  /** Returns the one subset with these rows. */
  #subsetOf(rows: Int32Array): Subset {
    const hash = hashOf(rows);
    const alike = this.#byHash.get(hash) ?? [];
    const known = alike.find((subset) => sameRows(subset.rows, rows));
    if (known) return known;
    const subset = { rows, nodes: [] };
    this.#byHash.set(hash, [...alike, subset]);
    return subset;
  }
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

import type { NodeTrainer, TrainedNode } from "./node-training.js";

/** A set of rows that reach a node, and the nodes that were trained on it, by choice. */
export interface Subset {
  /** Ascending. */
  readonly rows: Int32Array;
  readonly nodes: (KnownNode | undefined)[];
}

/** A trained node, with the sets of rows that its gates send on. */
export interface KnownNode extends Omit<TrainedNode, "gates"> {
  /** Absent if only the node as a last one was asked for so far. */
  readonly gates: readonly KnownGate[] | undefined;
}

/** A gate, with what it sends on as a set that is known by identity. */
export interface KnownGate {
  readonly fraction: number;
  readonly subset: Subset;
  readonly correct: number;
  readonly wrong: number;
  readonly norm?: number;
}

/** A node that the search wants to know. */
export interface NodeNeed {
  readonly subset: Subset;
  readonly choice: number;
  readonly gated: boolean;
}

/**
 * All nodes that were ever trained on a sample, by (set of rows, choice): cascades with different beginnings often
 * send on the same rows. Nothing here depends on γ or on how complexity is measured, so that one collection serves
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

  /** How many nodes were trained. */
  get trained(): number {
    return this.#trained;
  }

  /** Makes the needed nodes known: trains those that are not, each once. */
  async provide(needs: readonly NodeNeed[]): Promise<void> {
    const missing = new Map<Subset, Map<number, boolean>>();
    for (const { subset, choice, gated } of needs) {
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

  #known({ rows, ...gate }: TrainedNode["gates"][number]): KnownGate {
    return { ...gate, subset: this.#subsetOf(rows) };
  }

  /** The one subset with these rows. */
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

/** FNV-1a over the row numbers. */
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

/** Lists of rows in one array: sending one is much cheaper than sending hundreds. */
export interface RowLists {
  readonly rows: Int32Array;
  /** How many rows each list has. */
  readonly lengths: Int32Array;
}

/** The lists one after the other. */
export function packRowLists(lists: readonly Int32Array[]): RowLists {
  const lengths = Int32Array.from(lists, (list) => list.length);
  const rows = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let next = 0;
  for (const list of lists) {
    rows.set(list, next);
    next += list.length;
  }
  return { rows, lengths };
}

/** The lists, each with memory of its own. */
export function unpackRowLists({ rows, lengths }: RowLists): Int32Array[] {
  let next = 0;
  return Array.from(lengths, (length) => {
    next += length;
    return rows.slice(next - length, next);
  });
}

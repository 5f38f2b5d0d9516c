import type { Arena, ArenaDescriptor } from "../../runtime/arena.js";
import type { Task, TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import type { KernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { type MachineSettings, Workplace } from "./node-machine.js";
import { packRowLists, type RowLists, unpackRowLists } from "./sub-problems.js";

/** So many parts of a batch per thread: then no thread waits long for the last one. */
const PARTS_PER_THREAD = 2;

/** Units of work (pairs of rows) per millisecond of training, very roughly; only for estimates of time. */
const SPEED = 100_000;

/** Solver runs that were given up. */
export interface OpenSolutions {
  readonly count: number;
  /** The largest violation of the conditions that was left. */
  readonly largestGap: number;
}

/** Some runs and the one with this gap, if it was given up. */
export function withRun({ count, largestGap }: OpenSolutions, openGap: number | undefined): OpenSolutions {
  if (openGap === undefined) return { count, largestGap };
  return { count: count + 1, largestGap: Math.max(largestGap, openGap) };
}

/** No run that was given up. */
export const ALL_SOLVED: OpenSolutions = { count: 0, largestGap: 0 };

/** Trains one node on the thread that it is called on, and tells of solver runs that were given up for it. */
type NodeMaker = (
  request: NodeRequest,
  workplace: Workplace,
) => Promise<{ readonly node: TrainedNode; readonly open: OpenSolutions }>;

export interface NodesInput<Material> {
  readonly material: Material;
  readonly arena: ArenaDescriptor;
  readonly requests: readonly Omit<NodeRequest, "rows">[];
  /** Of the requests. */
  readonly rows: RowLists;
}

/** A node whose gates leave the rows that they send on to a list beside it. */
interface NodeWithoutRows extends Omit<TrainedNode, "gates"> {
  readonly gates: readonly Omit<TrainedGate, "rows">[];
}

export interface NodesOutput {
  readonly nodes: readonly NodeWithoutRows[];
  readonly rows: RowLists;
  readonly open: OpenSolutions;
}

/** Trains some nodes from a material, which is structured-cloneable. */
type NodesTask<Material> = Task<NodesInput<Material>, NodesOutput>;

/** A task that trains nodes one after the other, with what `makerOf` makes of the material. */
export function defineNodesTask<Material>(
  id: string,
  makerOf: (material: Material) => NodeMaker,
): NodesTask<Material> {
  return defineTask(
    id,
    async ({ material, arena, requests, rows }: NodesInput<Material>, context: TaskContext) => {
      const make = makerOf(material);
      const workplace = new Workplace(arena, context);
      const lists = unpackRowLists(rows);
      const nodes: NodeWithoutRows[] = [];
      const sentOn: Int32Array[] = [];
      let open = ALL_SOLVED;
      for (const [i, request] of requests.entries()) {
        await context.checkpoint();
        const made = await make({ ...request, rows: lists[i] }, workplace);
        const { gates, ...node } = made.node;
        for (const gate of gates) sentOn.push(gate.rows);
        nodes.push({ ...node, gates: gates.map(({ rows: _, ...gate }) => gate) });
        open = sum(open, made.open);
      }
      return { nodes, rows: packRowLists(sentOn), open };
    },
  );
}

/** What nodes are trained with. */
interface NodeTraining<Material> {
  readonly task: NodesTask<Material>;
  readonly material: Material;
  /** Which scratch machines need, and how many rows they have at most. */
  readonly machine: MachineSettings["kind"];
  readonly mostRows: number;
  /** Where the material lies, and the scratch is to lie. */
  readonly memory: KernelMemory;
  /** About how much work a node is, in pairs of rows. */
  work(request: NodeRequest): number;
}

/** Trains nodes on all threads of a run. Its owner releases it. */
export class ParallelNodes<Material> implements NodeTrainer {
  readonly #training: NodeTraining<Material>;
  readonly #arenas: readonly Arena[];
  /** With an executor whose threads can read the material. */
  readonly #run: Run;
  #open = ALL_SOLVED;

  constructor(training: NodeTraining<Material>, run: Run) {
    const { machine, mostRows, memory } = training;
    this.#training = training;
    this.#run = memory.shared ? run : { ...run, executor: inlineExecutor() };
    const { threads } = this.#run.executor;
    const parts = threads > 1 ? threads * PARTS_PER_THREAD : 1;
    this.#arenas = Array.from({ length: parts }, () => Workplace.arena(machine, mostRows, memory));
  }

  /** Solver runs that were given up so far. */
  get open(): OpenSolutions {
    return this.#open;
  }

  async train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]> {
    const { task, material } = this.#training;
    const work = requests.map((request) => this.#training.work(request));
    const parts = divide(work, this.#arenas.length);
    const inputs = parts.map((part, p) => ({
      material,
      arena: this.#arenas[p].descriptor(),
      requests: part.map((index) => ({ choice: requests[index].choice, gated: requests[index].gated })),
      rows: packRowLists(part.map((index) => requests[index].rows)),
    }));
    const outputs = await this.#map(
      task,
      inputs,
      work.reduce((total, own) => total + own, 0),
    );
    const trained: TrainedNode[] = [];
    outputs.forEach(({ nodes, rows, open }, p) => {
      const lists = unpackRowLists(rows).values();
      nodes.forEach(({ gates, ...node }, i) => {
        const withRows = gates.map((gate) => ({ ...gate, rows: lists.next().value ?? new Int32Array(0) }));
        trained[parts[p][i]] = { ...node, gates: withRows };
      });
      this.#open = sum(this.#open, open);
    });
    return trained;
  }

  /** Runs another task where nodes are trained, with scratch for one machine; not while nodes are being trained. */
  async runOne<Input, Output>(
    task: Task<Input & { readonly arena: ArenaDescriptor }, Output>,
    input: Input,
    work: number,
  ): Promise<Output> {
    const [output] = await this.#map(task, [{ ...input, arena: this.#arenas[0].descriptor() }], work);
    return output;
  }

  #map<Input, Output>(task: Task<Input, Output>, inputs: readonly Input[], work: number): Promise<Output[]> {
    const { signal, executor } = this.#run;
    return executor.map(task, inputs, { ...(signal && { signal }), milliseconds: work / SPEED });
  }

  release(): void {
    for (const arena of this.#arenas) arena.release();
  }
}

function sum(some: OpenSolutions, more: OpenSolutions): OpenSolutions {
  return {
    count: some.count + more.count,
    largestGap: Math.max(some.largestGap, more.largestGap),
  };
}

/** Shares pieces of work out among at most so many parts of about the same work, the largest first; indices of pieces. */
function divide(work: readonly number[], parts: number): number[][] {
  const order = work.map((_, i) => i).sort((a, b) => work[b] - work[a] || a - b);
  const shares = Array.from({ length: Math.min(parts, work.length) }, () => ({
    work: 0,
    indices: [] as number[],
  }));
  for (const index of order) {
    const least = shares.reduce((best, share) => (share.work < best.work ? share : best));
    least.work += work[index];
    least.indices.push(index);
  }
  return shares.map(({ indices }) => indices);
}

/** A set of rows that a node is to be trained on. */
export interface NodeRequest {
  /** Ascending. */
  readonly rows: Int32Array;
  /** What the node is to be; see `CascadeSpace`. */
  readonly choice: number;
  /** Whether its gates are wanted: not for a last node. */
  readonly gated: boolean;
}

/** A gate of a trained node: which rows go on, and how the node's leaf does on those that stay. */
export interface TrainedGate {
  /** Index of its fraction. */
  readonly fraction: number;
  /** The rows that go on, ascending: neither none nor all. */
  readonly rows: Int32Array;
  /** m_k⁺ and m_k⁻ of the rows that stay. */
  readonly correct: number;
  readonly wrong: number;
  /** ‖w‖ of the classifier of the rows that stay, where it is not that of the node. */
  readonly norm?: number;
}

/** What the search knows of a trained node: a function of the rows and the choice alone. */
export interface TrainedNode {
  /** m_k⁺ and m_k⁻ if all rows end here. */
  readonly correct: number;
  readonly wrong: number;
  /** ‖w‖ in feature space, where there is one; 0 otherwise. */
  readonly norm: number;
  /** By ascending fraction, without those that send on all rows or none; empty if they were not asked for. */
  readonly gates: readonly TrainedGate[];
}

/** Trains nodes; results come in the order of the requests and depend on each request alone. */
export interface NodeTrainer {
  train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]>;
}

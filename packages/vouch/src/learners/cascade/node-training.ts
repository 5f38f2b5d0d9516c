import type { Arena, ArenaDescriptor } from "../../runtime/arena.js";
import type { Task, TaskContext } from "../../runtime/executor.js";
import { inlineExecutor } from "../../runtime/inline.js";
import type { KernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import {
  ALL_SOLVED,
  type MachineSettings,
  type OpenSolutions,
  PAIRS_PER_MILLISECOND,
  sumOpen,
  Workplace,
} from "./node-machine.js";
import type { NodeRequest, NodeTrainer, TrainedGate, TrainedNode } from "./sub-problems.js";

/** Parts of a batch per thread: with several, no thread waits long for the last one. */
const PARTS_PER_THREAD = 2;

/** Trains one node on the thread that it is called on, and counts the solver runs that did not converge. */
type NodeMaker = (
  request: NodeRequest,
  workplace: Workplace,
) => Promise<{ readonly node: TrainedNode; readonly open: OpenSolutions }>;

interface NodesInput<Material> {
  readonly material: Material;
  readonly arena: ArenaDescriptor;
  readonly requests: readonly Omit<NodeRequest, "rows">[];
  /** One list per request. */
  readonly rows: RowLists;
}

interface NodesOutput {
  readonly nodes: readonly NodeWithoutRows[];
  /** One list per gate. */
  readonly rows: RowLists;
  readonly open: OpenSolutions;
}

interface NodeWithoutRows extends Omit<TrainedNode, "gates"> {
  readonly gates: readonly Omit<TrainedGate, "rows">[];
}

/** Trains some nodes from a material, which is structured-cloneable. */
type NodesTask<Material> = Task<NodesInput<Material>, NodesOutput>;

/** Defines a task that trains nodes one after the other; `makerOf` prepares the material. */
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
      const passedOn: Int32Array[] = [];
      let open = ALL_SOLVED;
      for (const [i, request] of requests.entries()) {
        await context.checkpoint();
        const made = await make({ ...request, rows: lists[i] }, workplace);
        const { gates, ...node } = made.node;
        for (const gate of gates) passedOn.push(gate.rows);
        nodes.push({ ...node, gates: gates.map(({ rows: _, ...gate }) => gate) });
        open = sumOpen(open, made.open);
      }
      return { nodes, rows: packRowLists(passedOn), open };
    },
  );
}

interface NodeTraining<Material> {
  readonly task: NodesTask<Material>;
  readonly material: Material;
  /** The kind of machines that need scratch, and the most rows that one of them has. */
  readonly machine: MachineSettings["kind"];
  readonly mostRows: number;
  /** The memory of the material and of the scratch. */
  readonly memory: KernelMemory;
  /** Estimates the work of a node, in pairs of rows. */
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

  /** The solver runs so far that did not converge. */
  get open(): OpenSolutions {
    return this.#open;
  }

  async train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]> {
    const { task, material } = this.#training;
    const work = requests.map((request) => this.#training.work(request));
    const parts = shareOut(work, this.#arenas.length);
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
      this.#open = sumOpen(this.#open, open);
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
    const milliseconds = work / PAIRS_PER_MILLISECOND;
    return executor.map(task, inputs, { ...(signal && { signal }), milliseconds });
  }

  release(): void {
    for (const arena of this.#arenas) arena.release();
  }
}

/** Shares pieces of work out among at most this many parts of about the same work, the largest first; indices of pieces. */
function shareOut(work: readonly number[], parts: number): number[][] {
  const order = work.map((_, i) => i).sort((a, b) => work[b] - work[a] || a - b);
  const shares = Array.from({ length: Math.min(parts, work.length) }, (): number[] => []);
  const loads = shares.map(() => 0);
  for (const index of order) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] += work[index];
    shares[least].push(index);
  }
  return shares;
}

/** Lists of rows in one array: sending one is much cheaper than sending hundreds. */
interface RowLists {
  readonly rows: Int32Array;
  readonly lengths: Int32Array;
}

function packRowLists(lists: readonly Int32Array[]): RowLists {
  const lengths = Int32Array.from(lists, (list) => list.length);
  const rows = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let next = 0;
  for (const list of lists) {
    rows.set(list, next);
    next += list.length;
  }
  return { rows, lengths };
}

/** Unpacks lists, each with its own memory. */
function unpackRowLists({ rows, lengths }: RowLists): Int32Array[] {
  let next = 0;
  return Array.from(lengths, (length) => {
    next += length;
    return rows.slice(next - length, next);
  });
}

import type { Task, TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type MachineSettings, PAIRS_PER_MILLISECOND, TrainingContext } from "./node-machine.js";
import type { NodeRequest, NodeTrainer, TrainedGate, TrainedNode } from "./sub-problems.js";

/** Trains one node on the thread that it is called on. */
type NodeMaker = (request: NodeRequest, training: TrainingContext) => Promise<TrainedNode>;

interface NodesInput<Data> {
  readonly data: Data;
  readonly scratch: ArenaPoolFields;
  readonly requests: readonly Omit<NodeRequest, "rows">[];
  /** One list per request. */
  readonly rows: RowLists;
}

interface NodesOutput {
  readonly nodes: readonly NodeWithoutRows[];
  /** One list per gate. */
  readonly rows: RowLists;
}

interface NodeWithoutRows extends Omit<TrainedNode, "gates"> {
  readonly gates: readonly Omit<TrainedGate, "rows">[];
}

/** Trains some nodes from a material, which is structured-cloneable. */
type NodesTask<Data> = Task<NodesInput<Data>, NodesOutput>;

/** Defines a task that trains nodes one after the other; `makerOf` prepares the material. */
export function defineNodesTask<Data>(id: string, makerOf: (data: Data) => NodeMaker): NodesTask<Data> {
  return defineTask(id, ({ data, scratch, requests, rows }: NodesInput<Data>, context: TaskContext) =>
    new ArenaPool(scratch).with(async (arena) => {
      const make = makerOf(data);
      const training = new TrainingContext(arena, context);
      const lists = unpackRowLists(rows);
      const nodes: NodeWithoutRows[] = [];
      const passedOn: Int32Array[] = [];
      for (const [i, request] of requests.entries()) {
        const pause = context.checkpoint();
        if (pause) await pause;
        const { gates, ...node } = await make({ ...request, rows: lists[i] }, training);
        for (const gate of gates) passedOn.push(gate.rows);
        nodes.push({ ...node, gates: gates.map(({ rows: _, ...gate }) => gate) });
      }
      return { nodes, rows: packRowLists(passedOn) };
    }),
  );
}

interface NodeTraining<Data> {
  readonly task: NodesTask<Data>;
  readonly data: Data;
  /** The kind of machines that need scratch, if there are machines, and the most rows that one of them has. */
  readonly machine: MachineSettings["kind"] | undefined;
  readonly mostRows: number;
  /** The memory of the material and of the scratch. */
  readonly memory: WasmMemory;
  /** Estimates the work of a node, in pairs of rows. */
  work(request: NodeRequest): number;
}

/** Nodes are trained on this thread until they have taken this many milliseconds, or one of them will take that many. */
const MILLISECONDS_HERE = 10;
const LONG_NODE = 1;

/** Trains nodes on all threads of a run. Its owner releases it. */
export class ParallelNodes<Data> implements NodeTrainer {
  readonly #training: NodeTraining<Data>;
  readonly #scratch: ArenaPool;
  /** With an executor whose threads can read the material. */
  readonly #run: Run;
  /** Milliseconds of training on this thread. */
  #here = 0;

  constructor(training: NodeTraining<Data>, run: Run) {
    const { machine, mostRows, memory } = training;
    this.#training = training;
    this.#run = memory.shared ? run : { ...run, executor: inlineExecutor() };
    this.#scratch = TrainingContext.scratch(machine, mostRows, memory, this.#run.executor.threads);
  }

  get threads(): number {
    return this.#usesThreads ? this.#run.executor.threads : 1;
  }

  milliseconds(request: NodeRequest): number {
    return this.#training.work(request) / PAIRS_PER_MILLISECOND;
  }

  async train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]> {
    if (requests.some((request) => this.milliseconds(request) >= LONG_NODE)) this.#here = MILLISECONDS_HERE;
    const began = performance.now();
    const [{ nodes, rows }] = await this.#map(this.#training.task, [
      {
        data: this.#training.data,
        requests: requests.map(({ choice, gated }) => ({ choice, gated })),
        rows: packRowLists(requests.map(({ rows }) => rows)),
      },
    ]);
    this.#here += performance.now() - began;
    const lists = unpackRowLists(rows).values();
    return nodes.map(({ gates, ...node }) => ({
      ...node,
      gates: gates.map((gate) => ({ ...gate, rows: lists.next().value ?? new Int32Array(0) })),
    }));
  }

  /** Runs another task where nodes are trained, each with scratch for one machine. */
  runAll<Input, Output>(
    task: Task<Input & { readonly scratch: ArenaPoolFields }, Output>,
    inputs: readonly Input[],
  ): Promise<Output[]> {
    return this.#map(task, inputs);
  }

  release(): void {
    this.#scratch.release();
  }

  get #usesThreads(): boolean {
    return this.#here >= MILLISECONDS_HERE;
  }

  #map<Input, Output>(
    task: Task<Input & { readonly scratch: ArenaPoolFields }, Output>,
    inputs: readonly Input[],
  ): Promise<Output[]> {
    const { signal, executor } = this.#run;
    const scratch = this.#scratch;
    return executor.map(
      task,
      inputs.map((input) => ({ ...input, scratch })),
      { signal, ...(!this.#usesThreads && { milliseconds: 0 }) },
    );
  }
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

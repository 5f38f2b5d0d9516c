import { attachKernelRows, type KernelRows, type KernelRowsDescriptor } from "../kernel/index.js";
import type { Run } from "../learning/run.js";
import type { Arena, ArenaDescriptor } from "../numeric/arena.js";
import type { TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import { correctOf, type GateKind, gatesOf } from "./gate.js";
import { type Machine, type MachineSettings, trainMachine, Workplace } from "./machine.js";
import { packRowLists, type RowLists, unpackRowLists } from "./row-lists.js";
import type { NodeRequest, NodeTrainer, TrainedGate, TrainedNode } from "./trained-node.js";

/** What nodes that are classifiers of kernel space have in common. */
export interface KernelNodeSettings {
  readonly machine: MachineSettings;
  readonly fractions: readonly number[];
  readonly gate: GateKind;
}

/** So many parts of a batch per thread: then no thread waits long for the last one. */
const PARTS_PER_THREAD = 2;

/** Pairs of rows per millisecond of training, very roughly; only for estimates of time. */
const SPEED = 100_000;

/** Solver runs that were given up. */
export interface OpenSolutions {
  readonly count: number;
  /** The largest violation of the conditions that was left. */
  readonly largestGap: number;
}

/**
 * Trains nodes on kernel matrices that all threads read: one matrix per choice (degree), for all rows of a sample, of
 * which nodes take some. Its owner releases it.
 */
export class KernelNodes implements NodeTrainer {
  readonly #kernels: readonly KernelRows[];
  readonly #labels: Int8Array;
  readonly #settings: KernelNodeSettings;
  readonly #run: Run;
  readonly #arenas: readonly Arena[];
  #open: OpenSolutions = { count: 0, largestGap: 0 };

  /** `labels` are the signs of all rows of the matrices; nodes have at most `mostRows` rows. */
  constructor(
    kernels: readonly KernelRows[],
    labels: Int8Array,
    mostRows: number,
    settings: KernelNodeSettings,
    run: Run,
  ) {
    this.#kernels = kernels;
    this.#labels = labels;
    this.#settings = settings;
    const [{ memory }] = kernels;
    this.#run = memory.shared ? run : { ...run, executor: inlineExecutor() };
    const parts = this.#run.executor.threads > 1 ? this.#run.executor.threads * PARTS_PER_THREAD : 1;
    const { kind } = settings.machine;
    this.#arenas = Array.from({ length: parts }, () => Workplace.arena(kind, mostRows, memory));
  }

  /** Solver runs that were given up so far. */
  get open(): OpenSolutions {
    return this.#open;
  }

  async train(requests: readonly NodeRequest[]): Promise<readonly TrainedNode[]> {
    const parts = divide(requests, this.#arenas.length);
    const inputs = parts.map((part, p) => ({
      kernels: this.#kernels.map((kernel) => kernel.descriptor()),
      labels: this.#labels,
      settings: this.#settings,
      arena: this.#arenas[p].descriptor(),
      requests: part.map((index) => ({ choice: requests[index].choice, gated: requests[index].gated })),
      rows: packRowLists(part.map((index) => requests[index].rows)),
    }));
    const { signal, executor } = this.#run;
    const outputs = await executor.map(nodesTask, inputs, {
      ...(signal && { signal }),
      milliseconds: requests.reduce((sum, request) => sum + workOf(request), 0) / SPEED,
    });
    const trained: TrainedNode[] = [];
    outputs.forEach(({ nodes, rows, open }, p) => {
      const lists = unpackRowLists(rows).values();
      nodes.forEach(({ gates, ...node }, i) => {
        const withRows = gates.map((gate) => ({ ...gate, rows: lists.next().value ?? new Int32Array(0) }));
        trained[parts[p][i]] = { ...node, gates: withRows };
      });
      const { count, largestGap } = this.#open;
      this.#open = { count: count + open.count, largestGap: Math.max(largestGap, open.largestGap) };
    });
    return trained;
  }

  /** The classifiers of some nodes themselves. */
  async machines(requests: readonly Pick<NodeRequest, "rows" | "choice">[]): Promise<Machine[]> {
    const inputs = requests.map(({ rows, choice }) => ({
      kernel: this.#kernels[choice].descriptor(),
      labels: this.#labels,
      machine: this.#settings.machine,
      arena: this.#arenas[0].descriptor(),
      rows,
      choice,
    }));
    const { signal, executor } = this.#run;
    const machines: Machine[] = [];
    // One after the other, since they share their scratch.
    for (const input of inputs) {
      const milliseconds = input.rows.length ** 2 / SPEED;
      machines.push(
        ...(await executor.map(machineTask, [input], { ...(signal && { signal }), milliseconds })),
      );
    }
    return machines;
  }

  release(): void {
    for (const arena of this.#arenas) arena.release();
  }
}

interface NodesInput {
  readonly kernels: readonly KernelRowsDescriptor[];
  readonly labels: Int8Array;
  readonly settings: KernelNodeSettings;
  readonly arena: ArenaDescriptor;
  readonly requests: readonly Omit<NodeRequest, "rows">[];
  /** Of the requests. */
  readonly rows: RowLists;
}

/** A node whose gates leave the rows that they send on to a list beside it. */
interface NodeWithoutRows extends Omit<TrainedNode, "gates"> {
  readonly gates: readonly Omit<TrainedGate, "rows">[];
}

/** Trains some nodes, one after the other. */
export const nodesTask = defineTask(
  "cascade/train-nodes",
  async ({ kernels, labels, settings, requests, ...input }: NodesInput, context: TaskContext) => {
    const workplace = new Workplace(input.arena, context);
    const attached = kernels.map(attachKernelRows);
    const lists = unpackRowLists(input.rows);
    const nodes: NodeWithoutRows[] = [];
    const sentOn: Int32Array[] = [];
    let count = 0;
    let largestGap = 0;
    for (const [i, { choice, gated }] of requests.entries()) {
      const rows = lists[i];
      await context.checkpoint();
      const { values, norm, openGap } = await trainMachine(
        attached[choice],
        rows,
        labels,
        choice,
        settings.machine,
        workplace,
      );
      const correct = correctOf(values, rows, labels);
      const gates = gated ? gatesOf(values, rows, labels, settings.fractions, settings.gate) : [];
      for (const gate of gates) sentOn.push(gate.rows);
      const counts = gates.map(({ rows: _, ...gate }) => gate);
      nodes.push({ correct, wrong: rows.length - correct, norm, gates: counts });
      if (openGap === undefined) continue;
      count++;
      largestGap = Math.max(largestGap, openGap);
    }
    return { nodes, rows: packRowLists(sentOn), open: { count, largestGap } };
  },
);

interface MachineInput extends Pick<NodeRequest, "rows" | "choice"> {
  readonly kernel: KernelRowsDescriptor;
  readonly labels: Int8Array;
  readonly machine: MachineSettings;
  readonly arena: ArenaDescriptor;
}

/** Trains the classifier of one node. */
export const machineTask = defineTask(
  "cascade/train-machine",
  ({ kernel, rows, labels, choice, machine, arena }: MachineInput, context: TaskContext) =>
    trainMachine(attachKernelRows(kernel), rows, labels, choice, machine, new Workplace(arena, context)),
);

function workOf({ rows }: NodeRequest): number {
  return rows.length ** 2;
}

/** Shares requests out among at most so many parts of about the same work, the largest first; indices of requests. */
function divide(requests: readonly NodeRequest[], parts: number): number[][] {
  const work = requests.map(workOf);
  const order = work.map((_, i) => i).sort((a, b) => work[b] - work[a] || a - b);
  const shares = Array.from({ length: Math.min(parts, requests.length) }, () => ({
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

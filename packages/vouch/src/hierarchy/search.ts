import type { Run } from "../learning/run.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import { alternate, type FoundColours, type NodeProblem } from "./alternation.js";
import { type MachineRows, type Material, trainMachine } from "./machine.js";
import { canonical } from "./starts.js";

/** The problem of a node on some rows, with the colours to begin from. */
export interface SearchRequest extends NodeProblem {
  /** The rows of the material that are of the node's classes. */
  readonly rows: Int32Array;
  readonly starts: readonly Int8Array[];
}

interface SearchInput extends Omit<SearchRequest, "starts"> {
  readonly material: Material;
  readonly start: Int8Array;
}

/** Seeks the colours of one node from one start. */
export const searchTask = defineTask(
  "hierarchy/search",
  ({ material, start, ...problem }: SearchInput, context: TaskContext): Promise<FoundColours> => {
    const { rows, costs } = problem;
    return alternate(problem, start, (labels) => {
      const some: MachineRows = { rows, labels, costs };
      return trainMachine(material, some, () => context.checkpoint());
    });
  },
);

/** Squared rows per millisecond and alternation, very roughly; only for estimates of time. */
const SPEED = 50_000;

/** The best colours of each node over its starts, all of them sought on all threads. */
export async function searchColours(
  material: Material,
  requests: readonly SearchRequest[],
  executor: Executor,
  { signal }: Pick<Run, "signal">,
): Promise<Int8Array[]> {
  const inputs = requests.flatMap(({ starts, ...problem }) =>
    // Two classes can be coloured in one way only.
    problem.classes === 2 ? [] : starts.map((start): SearchInput => ({ ...problem, material, start })),
  );
  const found = await executor.map(searchTask, inputs, {
    ...(signal && { signal }),
    milliseconds: inputs.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED,
  });
  let next = 0;
  return requests.map(({ classes, starts }) => {
    if (classes === 2) return starts[0];
    const own = found.slice(next, next + starts.length);
    next += starts.length;
    const best = own.reduce((least, each) => (each.objective < least.objective ? each : least));
    return canonical(best.colours);
  });
}

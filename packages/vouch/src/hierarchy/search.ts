import type { Run } from "../learning/run.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import { alternate, type FoundColours, type NodeProblem } from "./alternation.js";
import { type Machine, type MachineRows, type Material, trainMachine } from "./machine.js";
import type { HierarchyOptions } from "./options.js";
import { canonical } from "./starts.js";

/** The problem of a node on some rows, with the colours to begin from. */
export interface SearchRequest extends NodeProblem {
  readonly slack: HierarchyOptions["slack"];
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
    const { rows, costs, slack } = problem;
    const halves = slack === "training" ? undefined : halvesOf(problem);
    return alternate(problem, start, (labels) => {
      const train = (own: Int8Array) =>
        trainMachine(material, { rows, labels: own, costs } satisfies MachineRows, () =>
          context.checkpoint(),
        );
      return halves ? crossFitted(labels, halves, train) : train(labels);
    });
  },
);

/** Which half each row is in: the rows of each class in turn. */
function halvesOf({ classes, classOf }: NodeProblem): Uint8Array {
  const seen = new Int32Array(classes);
  return Uint8Array.from(classOf, (k) => seen[k]++ % 2);
}

/** The values of each half of the rows by a machine that is trained on the other half. */
async function crossFitted(
  labels: Int8Array,
  halves: Uint8Array,
  train: (labels: Int8Array) => Promise<Machine>,
): Promise<Pick<Machine, "values" | "regulariser">> {
  const values = new Float64Array(labels.length);
  let regulariser = 0;
  for (const half of [0, 1]) {
    const machine = await train(labels.map((label, i) => (halves[i] === half ? label : 0)));
    regulariser += machine.regulariser / 2;
    for (let i = 0; i < values.length; i++) if (halves[i] !== half) values[i] = machine.values[i];
  }
  return { values, regulariser };
}

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

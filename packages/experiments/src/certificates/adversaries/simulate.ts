import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { pValueOf } from "../coverage-cells.js";
import { adversaryTask, type SourceInput, type SourceTally } from "./simulated-source.js";
import { type SourceName, sources } from "./sources.js";

/** Size of a simulation. */
export interface SimulationSize extends Pick<SourceInput, "fresh" | "deltas"> {
  /** Number of runs of a source with share 1. */
  readonly runs: number;
}

/** How often a statement about a source was false, over all its runs. */
export interface SourceCell {
  readonly source: SourceName;
  readonly statement: string;
  readonly delta: number;
  readonly runs: number;
  /** Number of runs that made the statement without a warning to excuse it. */
  readonly ticked: number;
  /** Number of these runs in which it was false; at most a fraction δ should be. */
  readonly failures: number;
  /** Number of runs in which it was false, regardless of warnings. */
  readonly falseInAll: number;
}

/** Number of runs per task: few, so that the threads end together. */
const RUNS_OF_A_TASK = 10;
/** Maximum share of runs with a grave warning about independent rows without a reason. */
const FALSE_ALARMS = 0.05;

/** Simulates sources and counts false statements. The result does not depend on the number of threads. */
export async function simulateSources(
  names: readonly SourceName[],
  { runs, fresh, deltas }: SimulationSize,
  { executor, seed, signal }: Pick<Run, "executor" | "seed" | "signal">,
): Promise<SourceCell[]> {
  const inputs = names.flatMap((source): SourceInput[] => {
    const all = Math.ceil(runs * (sources[source].share ?? 1));
    return Array.from({ length: Math.ceil(all / RUNS_OF_A_TASK) }, (_, i) => {
      const firstRun = i * RUNS_OF_A_TASK;
      const count = Math.min(RUNS_OF_A_TASK, all - firstRun);
      return { source, seed, firstRun, runs: count, fresh, deltas };
    });
  });
  const tallies = await executor.map(adversaryTask, inputs, { signal });
  return names.flatMap((name) =>
    sumCells(
      name,
      tallies.filter((_, i) => inputs[i].source === name),
    ),
  );
}

/** Adds up the parts of the runs of a source. A grave warning without a reason counts as a statement, too. */
function sumCells(source: SourceName, parts: readonly SourceTally[]): SourceCell[] {
  const runs = parts.reduce((sum, part) => sum + part.runs, 0);
  const cells = new Map<string, SourceCell>();
  for (const { statement, delta, ticked, falseWithTick, falseInAll } of parts.flatMap(
    (part) => part.statements,
  )) {
    const key = `${statement} at ${delta}`;
    const sum = cells.get(key);
    cells.set(key, {
      ...{ source, statement, delta, runs },
      ticked: ticked + (sum?.ticked ?? 0),
      failures: falseWithTick + (sum?.failures ?? 0),
      falseInAll: falseInAll + (sum?.falseInAll ?? 0),
    });
  }
  const { independent, warns } = sources[source];
  const warned = parts.reduce((sum, part) => sum + part.warned, 0);
  const isFalseAlarm = independent === true && warns === undefined;
  const alarms: SourceCell = {
    ...{ source, statement: "grave warning", delta: FALSE_ALARMS, runs, ticked: warned },
    ...{ failures: isFalseAlarm ? warned : 0, falseInAll: warned },
  };
  return [...cells.values(), alarms];
}

/** Probability that any cell of a simulation is reported although every statement keeps its level. */
const LEVEL = 0.01;

/** Lists the cells that fail more often than chance explains among this many cells. */
export function violations(cells: readonly SourceCell[]): SourceCell[] {
  return cells.filter((cell) => pValueOf(cell) < LEVEL / cells.length);
}

/** Writes the cells of one source that fail, in a line. */
export function describeFailures(cells: readonly SourceCell[]): string {
  const parts = cells.map(
    ({ statement, delta, runs, failures, falseInAll }) =>
      `${statement} (δ = ${delta}) ${failures} of ${runs}${falseInAll > failures ? `, ${falseInAll} with warnings` : ""}`,
  );
  return `${cells[0]?.source}: ${parts.join("; ")}`;
}

import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { Task } from "@vouch/core/internal/runtime/parallel/executor";
import type * as z from "zod";
import { type ExperimentRun, missingParts, PartsLeft, partOf } from "./experiment.js";

/**
 * Returns parts of a result that are tasks, such as folds, by name, from an earlier run. Missing parts are computed on
 * all threads and stored, with one part per thread at a time. See `partsOf` for runs with a share.
 */
export async function taskParts<Input, Schema extends z.ZodType<Json>>(
  run: ExperimentRun,
  task: Task<Input, z.output<Schema>>,
  inputs: ReadonlyMap<string, Input>,
  schema: Schema,
  stage: string,
): Promise<z.output<Schema>[]> {
  const { executor, signal, progress, partial, finishedOnly } = run;
  const { own, left } = missingParts(run, [...inputs.keys()]);
  const computed = new Map<string, z.output<Schema>>();
  const together = partial ? (executor.cluster?.threads ?? executor.threads) : own.length;
  for (let first = 0; first < own.length && !finishedOnly; first += together) {
    const names = own.slice(first, first + together);
    const outputs = await executor.map(task, inputsOf(inputs, names), {
      signal,
      onProgress: (done) => progress({ stage, done: first + done, total: own.length }),
    });
    for (const [i, name] of names.entries()) {
      computed.set(name, outputs[i]);
      await partial?.add(name, outputs[i]);
    }
  }
  if (left > 0) throw new PartsLeft(left);
  const parts: z.output<Schema>[] = [];
  for (const name of inputs.keys()) {
    const known = computed.get(name);
    parts.push(
      known ?? (await partOf(run, name, schema, () => Promise.reject(new TypeError(`No part ${name}.`)))),
    );
  }
  return parts;
}

function inputsOf<Input>(inputs: ReadonlyMap<string, Input>, names: readonly string[]): Input[] {
  return [...inputs].flatMap(([name, input]) => (names.includes(name) ? [input] : []));
}

import { throwIfAborted, yieldToEventLoop } from "./event-loop.js";
import { type Executor, type MapOptions, MapProgress, type Task } from "./executor.js";
import { taskFailure } from "./task.js";

/**
 * Makes an executor that runs tasks on this thread, one after the other. Between tasks and at their checkpoints the event loop
 * runs every 12 ms; a task without checkpoints cannot be interrupted.
 */
export function inlineExecutor(): Executor {
  return { threads: 1, map: mapInline, close: async () => {} };
}

async function mapInline<Input, Output>(
  task: Task<Input, Output>,
  inputs: readonly Input[],
  { signal, onProgress, sizes }: MapOptions = {},
): Promise<Output[]> {
  const progress = new MapProgress(inputs.length, onProgress, sizes);
  const checkpoint = () => yieldToEventLoop(signal);
  const outputs: Output[] = [];
  for (const [index, input] of inputs.entries()) {
    await checkpoint();
    try {
      outputs.push(
        await task.run(input, {
          checkpoint,
          progress: (fraction, note) => progress.advance(index, fraction, note),
        }),
      );
      progress.complete(index);
    } catch (thrown) {
      throw taskFailure(task, index, inputs.length, thrown);
    }
  }
  throwIfAborted(signal);
  return outputs;
}

/** `node scaling-once.js WORK THREADS [RUNS]`: trains a classifier in its own process and prints the time as JSON. */
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { inlineExecutor } from "@vouch/core/internal/runtime/parallel/inline";
import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import { trainClassifier } from "@vouch/core/internal/train/train";
import { scalingWorks } from "./scaling-work.js";

/** Measures how long no task was running, which more threads cannot shorten. */
class WatchedExecutor {
  /** Milliseconds in which a `map` was running. */
  mapped = 0;
  #maps = 0;
  #since = 0;

  watch(executor: Executor): Executor {
    const map: Executor["map"] = async (task, inputs, options) => {
      if (this.#maps++ === 0) this.#since = performance.now();
      try {
        return await executor.map(task, inputs, options);
      } finally {
        if (--this.#maps === 0) this.mapped += performance.now() - this.#since;
      }
    };
    return {
      threads: executor.threads,
      map,
      close: () => executor.close(),
      ...(executor.prepare && { prepare: (tasks) => executor.prepare?.(tasks) }),
    };
  }
}

const [name, threadCount, runs = "1"] = process.argv.slice(2);
const work = scalingWorks[name];
const threads = Number(threadCount);
const { train, test, target } = await work.load();
for (let run = 0; run < Number(runs); run++) {
  const watched = new WatchedExecutor();
  const executor = watched.watch(threads === 1 ? inlineExecutor() : threadExecutor({ threads }));
  const cpu = process.cpuUsage();
  const began = performance.now();
  const { evaluation } = await trainClassifier(train, work.learner(), {
    target,
    ...(test ? { test } : { holdout: 0.25 }),
    run: { executor, seed: 1 },
  });
  const milliseconds = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  await executor.close();
  const facts = {
    "serial ms": Math.round(milliseconds - watched.mapped),
    "CPU s": (user + system) / 1e6,
    "peak MB": Math.round(process.resourceUsage().maxRSS / 1024),
    "error %": 100 * (evaluation?.error ?? Number.NaN),
  };
  console.log(JSON.stringify({ seconds: milliseconds / 1000, facts }));
}

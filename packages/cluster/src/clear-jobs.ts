import type { Queue } from "bullmq";
import type { Redis } from "ioredis";

/** Milliseconds for which workers may take to put away the jobs of a run that is over. */
const MOST_WAIT = 1000;

const PAUSE = 25;

/**
 * Waits until workers have put away the last jobs of a run, and removes those that no worker holds: a worker that finishes a job after
 * Redis was away has lost the lock, and leaves the job where it is.
 */
export async function clearJobs(redis: Redis, queue: Queue, run: string): Promise<void> {
  const end = performance.now() + MOST_WAIT;
  for (;;) {
    const active = await redis.lrange(queue.toKey("active"), 0, -1);
    const ids = active.filter((id) => id.startsWith(`${run}-`));
    if (ids.length === 0) return;
    // A job that a worker holds cannot be removed.
    await Promise.all(ids.map((id) => queue.remove(id).catch(() => 0)));
    if (performance.now() > end) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

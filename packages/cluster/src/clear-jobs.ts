import type { Queue } from "bullmq";
import type { Redis } from "ioredis";

/** Milliseconds for workers to finish the last jobs of a run. */
const MOST_WAIT = 1000;

const PAUSE = 25;

/**
 * Waits until workers have finished the last jobs of a run, and removes jobs that no worker holds. A worker that
 * finishes a job after an outage of Redis has lost its lock, and leaves the job in place.
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

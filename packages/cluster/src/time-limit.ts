import type { Redis } from "ioredis";

/** Milliseconds without an answer of Redis after which a run, a worker or a shard leaves the rest to the time to live of its keys. */
const SILENCE = 3000;

/** Milliseconds that tidying up may take even if Redis answers. */
const TIDIED_WITHIN = 20_000;

/** Milliseconds in which threads and readers of this machine must end; then they are left to the end of the process. */
const ENDED_WITHIN = 5000;

/** Milliseconds between two questions whether Redis answers. */
const PAUSE = 200;

/** Rejects if work takes longer than some milliseconds. */
export async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tidies up as long as Redis answers. Never rejects; the caller then ends its connections. */
export async function tidyUp(redis: Pick<Redis, "ping">, work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const done = work()
    .catch(() => {})
    .then(() => {
      isOver = true;
    });
  const asking = async () => {
    while (!isOver) {
      await withTimeout(Promise.race([done, redis.ping()]), SILENCE);
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, PAUSE))]);
    }
  };
  await withTimeout(asking(), TIDIED_WITHIN).catch(() => {});
  isOver = true;
}

/** Waits until something has ended, for limited time. Never rejects. */
export async function endInTime(end: Promise<unknown> | undefined): Promise<void> {
  await withTimeout(Promise.resolve(end), ENDED_WITHIN).catch(() => {});
}

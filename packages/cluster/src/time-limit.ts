import type { Redis } from "ioredis";

/** Milliseconds without an answer from Redis after which cleanup is left to the expiry of keys. */
const SILENCE = 3000;

/** Maximum duration of the cleanup in milliseconds, even if Redis answers. */
const TIDIED_WITHIN = 20_000;

/** Milliseconds in which threads and readers of this machine must end; then they are left to the end of the process. */
const ENDED_WITHIN = 5000;

/** Milliseconds between two questions whether Redis answers. */
const PAUSE = 200;

/** Rejects if work exceeds a time limit. */
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

/** Cleans up while Redis answers. Never rejects; the caller then ends its connections. */
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

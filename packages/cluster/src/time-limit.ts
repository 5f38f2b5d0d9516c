/** Milliseconds that the end of a run, a worker or a shard may wait for Redis. What it leaves there has a time to live. */
const TIDIED_WITHIN = 3000;

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

/** Tidies up as far as Redis answers in time. Never rejects; the caller then ends its connections. */
export async function tidyUp(work: () => Promise<unknown>): Promise<void> {
  await withTimeout(work(), TIDIED_WITHIN).catch(() => {});
}

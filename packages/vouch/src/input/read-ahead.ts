/**
 * Yields the items of an iteration, and prefetches up to `count` items while one is in use. An error comes after the
 * items before it.
 */
export async function* readAhead<T>(items: AsyncGenerator<T>, count = 1): AsyncGenerator<T> {
  const ahead: Promise<IteratorResult<T>>[] = [];
  const request = () => {
    const next = items.next();
    // It is thrown when its turn comes, which may be never.
    next.catch(() => {});
    ahead.push(next);
  };
  try {
    for (let i = 0; i < count; i++) request();
    for (let next = await ahead.shift(); next && !next.done; next = await ahead.shift()) {
      request();
      yield next.value;
    }
  } finally {
    await items.return(undefined);
  }
}

/** A resource that is open until it is released. */
interface OpenResource<T> {
  readonly resource: T;
  release(): Promise<void>;
}

/** Keeps a callback's resource open between the steps of a generator, which cannot yield inside a callback. */
export async function openResource<T>(
  lend: (use: (resource: T) => Promise<void>) => Promise<void>,
): Promise<OpenResource<T>> {
  return new Promise((resolve, reject) => {
    let end: () => void = () => {};
    const ended = new Promise<void>((done) => {
      end = done;
    });
    const returned = lend(async (resource) => {
      resolve({
        resource,
        release: async () => {
          end();
          await returned;
        },
      });
      await ended;
    });
    returned.catch(reject);
  });
}

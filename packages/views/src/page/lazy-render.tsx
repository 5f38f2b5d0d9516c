import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

/** Calls functions one after the other, each in its own task, so that the browser can paint and respond in between. */
class RenderQueue {
  readonly #waiting = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Queues a function; the returned function cancels it. */
  wait(call: () => void): () => void {
    this.#waiting.add(call);
    this.#timer ??= setTimeout(() => this.#next());
    return () => this.#waiting.delete(call);
  }

  #next(): void {
    const call = this.#waiting.values().next().value;
    this.#timer = call && setTimeout(() => this.#next());
    if (!call) return;
    this.#waiting.delete(call);
    call();
  }
}

const Queue = createContext<RenderQueue | undefined>(undefined);

/**
 * Lets its panels appear one after the other. Drawn all at once, the panels of a model would block the page for a
 * while.
 */
export function LazyRender({ children }: { readonly children: ComponentChildren }) {
  const [queue] = useState(() => new RenderQueue());
  return <Queue.Provider value={queue}>{children}</Queue.Provider>;
}

/** Shows panels when their turn comes; at once outside `LazyRender`, as in a page rendered to text. */
export function LazyPanel({ children }: { readonly children: ComponentChildren }) {
  const queue = useContext(Queue);
  const [isDue, setDue] = useState(queue === undefined);
  useEffect(() => queue?.wait(() => setDue(true)), [queue]);
  return isDue ? children : null;
}

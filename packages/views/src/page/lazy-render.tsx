import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

/** Calls functions one after the other, each in a task of its own: in between the browser paints and answers. */
class RenderQueue {
  readonly #waiting = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Calls a function when it is its turn; the returned function calls that off. */
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

/** Lets the panels in it appear one after the other. Drawn all at once, those of a model would block a page for a while. */
export function LazyRender({ children }: { readonly children: ComponentChildren }) {
  const [queue] = useState(() => new RenderQueue());
  return <Queue.Provider value={queue}>{children}</Queue.Provider>;
}

/** Shows panels when it is their turn; at once outside of `LazyRender`, as in a page that is rendered to text. */
export function LazyPanel({ children }: { readonly children: ComponentChildren }) {
  const queue = useContext(Queue);
  const [isDue, setDue] = useState(queue === undefined);
  useEffect(() => queue?.wait(() => setDue(true)), [queue]);
  return isDue ? children : null;
}

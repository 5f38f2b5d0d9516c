import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

/** Calls functions one after the other, each in a task of its own: in between the browser paints and answers. */
class TurnQueue {
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

const Queue = createContext<TurnQueue | undefined>(undefined);

/** Lets the panels in it appear one after the other. Drawn all at once, those of a model would block a page for a while. */
export function InTurns({ children }: { readonly children: ComponentChildren }) {
  const [queue] = useState(() => new TurnQueue());
  return <Queue.Provider value={queue}>{children}</Queue.Provider>;
}

/** Shows panels when it is their turn; at once outside of `InTurns`, as in a page that is rendered to text. */
export function Turn({ children }: { readonly children: ComponentChildren }) {
  const queue = useContext(Queue);
  const [isDue, setDue] = useState(queue === undefined);
  useEffect(() => queue?.wait(() => setDue(true)), [queue]);
  return isDue ? children : null;
}

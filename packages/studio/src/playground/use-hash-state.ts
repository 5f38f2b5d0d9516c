import { useEffect, useState } from "preact/hooks";
import {
  PLAYGROUND_HASH,
  type PlaygroundState,
  type ReadState,
  stateFrom,
  writeHash,
} from "./playground-state.js";

/** A part of the state, or a function that makes it from the state before. */
type StateChange = Partial<PlaygroundState> | ((before: PlaygroundState) => Partial<PlaygroundState>);

/** Changes a part of the state. */
export type ChangeState = (part: StateChange) => void;

/** The address when the playground was last open: a link without a state comes back to it. */
let lastHash = PLAYGROUND_HASH;

/** Keeps the state of the playground in the address: it follows the address, and the address follows it. */
export function useHashState(): ReadState & { readonly change: ChangeState } {
  const [read, setRead] = useState<ReadState>(() =>
    stateFrom(location.hash === PLAYGROUND_HASH ? lastHash : location.hash),
  );
  useEffect(() => {
    const follow = () => {
      if (location.hash.startsWith(PLAYGROUND_HASH)) setRead(stateFrom(location.hash));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    const hash = writeHash(read.state);
    lastHash = hash;
    // No entry of the history for each point or option; and `hashchange` does not fire.
    if (read.faults.length === 0 && hash !== location.hash) history.replaceState(history.state, "", hash);
  }, [read]);
  const change: ChangeState = (part) =>
    setRead(({ state }) => ({
      state: { ...state, ...(typeof part === "function" ? part(state) : part) },
      faults: [],
    }));
  return { ...read, change };
}

import { useEffect, useState } from "preact/hooks";
import {
  PLAYGROUND_HASH,
  type PlaygroundState,
  type ReadState,
  stateFrom,
  writeHash,
} from "./playground-state.js";

/** A part of the state, or a function of the previous state. */
type StateChange = Partial<PlaygroundState> | ((before: PlaygroundState) => Partial<PlaygroundState>);

export type ChangeState = (part: StateChange) => void;

/** The last address of the playground; a link without a state returns to it. */
let lastHash = PLAYGROUND_HASH;

/** Keeps the state and the address of the playground in sync. */
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
    // Avoids a history entry for each point or option; `hashchange` does not fire.
    if (read.faults.length === 0 && hash !== location.hash) history.replaceState(history.state, "", hash);
  }, [read]);
  const change: ChangeState = (part) =>
    setRead(({ state }) => ({
      state: { ...state, ...(typeof part === "function" ? part(state) : part) },
      faults: [],
    }));
  return { ...read, change };
}

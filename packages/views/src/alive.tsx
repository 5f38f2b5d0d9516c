import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Tells whether the script of the page runs; false in the first rendering, which is the one of a page without scripts. */
export function useAlive(): boolean {
  const [isAlive, setAlive] = useState(false);
  useEffect(() => setAlive(true), []);
  return isAlive;
}

/** Shows controls that need a script only once the script runs; a page without scripts shows the rest. */
export function Alive({ children }: { readonly children: ComponentChildren }) {
  return useAlive() ? children : null;
}

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Tells whether the script of the page runs; false in the first rendering, which is the one of a page without scripts. */
export function useIsClient(): boolean {
  const [isClient, setClient] = useState(false);
  useEffect(() => setClient(true), []);
  return isClient;
}

/** Shows controls that need a script only once the script runs; a page without scripts shows the rest. */
export function ClientOnly({ children }: { readonly children: ComponentChildren }) {
  return useIsClient() ? children : null;
}

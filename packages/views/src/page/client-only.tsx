import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * Returns whether the script of the page runs; false in the first rendering, so that it matches the page without
 * scripts.
 */
export function useIsClient(): boolean {
  const [isClient, setClient] = useState(false);
  useEffect(() => setClient(true), []);
  return isClient;
}

/** Hides controls until the script runs; a page without scripts shows only the rest. */
export function ClientOnly({ children }: { readonly children: ComponentChildren }) {
  return useIsClient() ? children : null;
}

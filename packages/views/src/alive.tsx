import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Shows controls that need a script only once the script runs; a page without scripts shows the rest. */
export function Alive({ children }: { readonly children: ComponentChildren }) {
  const [isAlive, setAlive] = useState(false);
  useEffect(() => setAlive(true), []);
  return isAlive ? <>{children}</> : null;
}

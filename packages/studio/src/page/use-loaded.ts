import { useEffect, useState } from "preact/hooks";

/** Loads a part of the page when it is first needed: undefined until it is there. Throws if it cannot be loaded, as after a new build. */
export function useLoaded<Part>(load: () => Promise<Part>): Part | undefined {
  const [state, setState] = useState<{ readonly part: Part } | { readonly error: unknown }>();
  useEffect(() => {
    load().then(
      (part) => setState({ part }),
      (error: unknown) => setState({ error }),
    );
  }, [load]);
  if (state && "error" in state) throw state.error;
  return state?.part;
}

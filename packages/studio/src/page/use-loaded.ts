import { useEffect, useState } from "preact/hooks";

/**
 * Loads a part of the page on first use; undefined until it is loaded. Throws if that fails, for example after a new
 * build.
 */
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

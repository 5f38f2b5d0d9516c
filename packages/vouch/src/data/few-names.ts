const SHOWN = 5;

/** Names for a message: the first five, and how many more there are. */
export function fewNames(names: readonly string[]): string {
  const shown = names
    .slice(0, SHOWN)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

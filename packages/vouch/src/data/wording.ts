const SHOWN = 5;

/** Names for a message: the first five, and how many more there are. */
export function fewNames(names: readonly string[]): string {
  const shown = names
    .slice(0, SHOWN)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

/** A number and its noun: `counted(1, "row")` is "1 row", `counted(2, "class", "classes")` "2 classes". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

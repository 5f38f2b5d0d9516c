const LENGTH = 6;

/**
 * Finds the windows of six consecutive lines of code that occur at two or more places, each with those places. Blank lines,
 * comments, imports and lines of punctuation alone do not count as lines.
 */
export function duplicatedWindows(modules) {
  const places = new Map();
  for (const { path, code } of modules) {
    const lines = code.filter((line) => !line.imports && /\w/.test(line.code));
    for (let i = 0; i + LENGTH <= lines.length; i++) {
      const window = lines.slice(i, i + LENGTH).map((line) => line.code);
      const key = window.join("\n");
      places.set(key, [...(places.get(key) ?? []), { path, line: lines[i].number }]);
    }
  }
  return [...places.values()].filter(({ length }) => length > 1);
}

/** Counts the duplicated windows of each set of files, most first. */
export function windowsByFiles(windows) {
  const counts = new Map();
  for (const places of windows) {
    const key = [...new Set(places.map(({ path }) => path))].join(" ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => ({ count, paths: key.split(" ") }))
    .sort((a, b) => b.count - a.count);
}

/** Returns what can be reached from some nodes of a graph, these included. */
export function reached(nodes, nextOf) {
  const seen = new Set();
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...nextOf(node));
  }
  return seen;
}

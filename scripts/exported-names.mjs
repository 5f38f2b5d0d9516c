/** What the exported names of a module graph tell: those defined in several files, and those that nothing else uses. */

/** Finds the names that two or more of these modules declare and export, each with the paths of those modules. */
export function namesDefinedTwice(modules) {
  const places = new Map();
  for (const { path, declared } of modules) {
    for (const name of declared) {
      if (name !== "default") places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => ({ name, paths }))
    .sort((a, b) => b.paths.length - a.paths.length || (a.name < b.name ? -1 : 1));
}

/**
 * Finds the exports that no public entry offers and no other module imports: declarations with the best reason to keep them ("in
 * its own file", "in tests" or "nowhere"), and re-exports that no import passes through. An `import()` or `import *` uses all.
 */
export function unusedExports(graph) {
  const isTest = ({ path }) => path.includes("/test/");
  const users = [...graph.users.values()];
  const used = new Set();
  for (const path of graph.entries) markAll(graph, path, used);
  for (const user of [...graph.modules.values(), ...users.filter((one) => !isTest(one))])
    markImports(graph, user, used);
  const tested = new Set();
  for (const user of users.filter(isTest)) markImports(graph, user, tested);

  const declarations = [];
  const reexports = [];
  for (const { path, declared, reexported, identifiers } of graph.modules.values()) {
    for (const name of declared) {
      const key = `${path} ${name}`;
      if (used.has(key)) continue;
      const where = identifiers.get(name) > 1 ? "in its own file" : tested.has(key) ? "in tests" : "nowhere";
      declarations.push({ name, path, used: where });
    }
    for (const { as } of reexported) {
      if (as !== "*" && !used.has(`${path} ${as}`)) reexports.push({ name: as, path });
    }
  }
  return { declarations, reexports };
}

function markImports(graph, { path, imports }, used) {
  for (const { to, names } of imports) {
    if (to === undefined || to === path) continue;
    for (const { name } of names) {
      if (name === "*") markAll(graph, to, used);
      else mark(graph, to, name, used);
    }
  }
}

function markAll(graph, path, used) {
  const key = `${path} *`;
  if (used.has(key)) return;
  used.add(key);
  const { declared, reexported } = graph.modules.get(path);
  for (const name of declared) mark(graph, path, name, used);
  for (const { as, to } of reexported) {
    if (as !== "*") mark(graph, path, as, used);
    else if (to !== undefined) markAll(graph, to, used);
  }
}

/** Marks a name of a module as used, and what it stands for where the module passes it on. Tells whether there is such a name. */
function mark(graph, path, name, used) {
  const key = `${path} ${name}`;
  if (used.has(key)) return true;
  const { declared, reexported } = graph.modules.get(path);
  const passed = reexported.find(({ as }) => as === name);
  if (declared.has(name) || passed) {
    used.add(key);
    if (passed?.to !== undefined && passed.name === "*") markAll(graph, passed.to, used);
    else if (passed?.to !== undefined) mark(graph, passed.to, passed.name, used);
    return true;
  }
  const star = reexported.find(({ as, to }) => as === "*" && to !== undefined && mark(graph, to, name, used));
  return star !== undefined;
}

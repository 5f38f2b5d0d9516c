/**
 * The graph of imports over the sources of all packages, types and `import()` included, and what it must be free of: cycles, and
 * dependencies between the library's rooms that point up.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { readSource } from "./module-source.mjs";

/** The rooms of the library (docs/architecture.md); each may import from itself and from those before it. */
export const ROOMS = [
  "runtime",
  "table",
  "encode",
  "theory",
  "learners",
  "metrics",
  "validation",
  "explain",
  "checks",
  "select",
  "train",
];

/**
 * Reads all packages below a folder. Modules are known by their path from there, such as "packages/core/src/index.ts". Code that
 * is no module of a package, such as tests and scripts, is in `users`: it imports, but belongs to no room and no cycle.
 */
export function readGraph(root) {
  const packages = readdirSync(join(root, "packages"))
    .filter((name) => existsSync(join(root, "packages", name, "src")))
    .map((name) => {
      const {
        name: title,
        exports = {},
        imports = {},
      } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
      const folder = `packages/${name}`;
      const isMap = typeof exports === "object" && Object.keys(exports).some((key) => key.startsWith("."));
      return { name: title, folder, exports: isMap ? exports : { ".": exports }, imports };
    });
  const modules = readAll(
    root,
    packages.flatMap(({ folder }) => filesBelow(root, `${folder}/src`, /\.tsx?$/)),
  );
  const users = readAll(root, [
    ...packages.flatMap(({ folder }) => [
      ...filesBelow(root, `${folder}/bin`, /\.m?js$/),
      ...filesBelow(root, `${folder}/test`, /\.tsx?$/),
      ...readdirSync(join(root, folder))
        .filter((name) => name.endsWith(".mjs"))
        .map((name) => `${folder}/${name}`),
    ]),
    ...filesBelow(root, "scripts", /\.mjs$/),
  ]);
  const graph = { packages, modules, users, unresolved: [] };
  for (const module of [...modules.values(), ...users.values()]) {
    for (const one of [...module.imports, ...module.reexported]) {
      one.to = moduleAt(graph, resolve(graph, module.path, one.specifier));
      if (one.to !== undefined && !modules.has(one.to)) {
        if (modules.has(module.path)) graph.unresolved.push({ from: module.path, specifier: one.specifier });
        one.to = undefined;
      }
    }
  }
  graph.entries = new Set(packages.flatMap((one) => entriesOf(graph, one)));
  return graph;
}

function filesBelow(root, folder, pattern) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.split(sep).join("/")}`)
    .filter((path) => pattern.test(path) && !isGenerated(path) && !path.includes("/node_modules/"))
    .sort();
}

function isGenerated(path) {
  return /\.generated\.[jt]s$/.test(path);
}

function readAll(root, paths) {
  return new Map(
    paths.map((path) => {
      try {
        return [path, { path, ...readSource(readFileSync(join(root, path), "utf8")) }];
      } catch (error) {
        throw new Error(`${path}: ${error.message}`, { cause: error });
      }
    }),
  );
}

/** Returns the path of a source, or of the one with JSX in its place. */
function moduleAt({ modules }, path) {
  return path !== undefined && !modules.has(path) && modules.has(`${path}x`) ? `${path}x` : path;
}

/** Finds the source that an import means; undefined for what is no source of a package. */
function resolve(graph, from, specifier) {
  const own = graph.packages.find(({ folder }) => from.startsWith(`${folder}/`));
  if (specifier.startsWith(".")) return sourceOf(posix.join(posix.dirname(from), specifier));
  if (specifier.startsWith("#")) return own && target(own, own.imports, specifier);
  const other = graph.packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  return other && target(other, other.exports, `.${specifier.slice(other.name.length)}`);
}

/** Looks up a key in a package's `exports` or `imports`, whose keys may end in a star. */
function target({ folder }, map, key) {
  for (const [pattern, value] of Object.entries(map)) {
    const [head, tail] = pattern.split("*");
    const isMatch = tail === undefined ? key === pattern : key.startsWith(head) && key.endsWith(tail);
    if (!isMatch) continue;
    const paths = pathsOf(value);
    const star = tail === undefined ? "" : key.slice(head.length, key.length - tail.length);
    return sourceOf(posix.join(folder, paths.at(-1).replaceAll("*", star)));
  }
  return sourceOf(posix.join(folder, key));
}

/** Lists the paths behind a value of `exports`, over all its conditions; the default comes last. */
function pathsOf(value) {
  return typeof value === "string" ? [value] : Object.values(value).flatMap(pathsOf);
}

/** Names the source of a built file; undefined for generated modules and for what is no code. */
function sourceOf(path) {
  const source = path.replace(/^(packages\/[^/]+)\/dist\//, "$1/src/").replace(/(\.d\.ts|\.js)$/, ".ts");
  return /^packages\/[^/]+\/src\/.*\.ts$/.test(source) && !isGenerated(source) ? source : undefined;
}

function entriesOf(graph, { folder, exports }) {
  return Object.values(exports)
    .flatMap(pathsOf)
    .map((path) => moduleAt(graph, sourceOf(posix.join(folder, path))))
    .filter((path) => graph.modules.has(path));
}

/**
 * Finds the import cycles: the strongly connected components of more than one module, largest first, by Tarjan's algorithm (1972).
 * Only imports of the given kinds count: "value", "type" and "dynamic".
 */
export function importCycles({ modules }, kinds = ["value", "type", "dynamic"]) {
  const found = [];
  const numbers = new Map();
  const low = new Map();
  const stack = [];
  const visit = (path) => {
    numbers.set(path, numbers.size);
    low.set(path, numbers.get(path));
    stack.push(path);
    for (const { to, kind } of modules.get(path).imports) {
      if (to === undefined || to === path || !kinds.includes(kind)) continue;
      if (!numbers.has(to)) {
        visit(to);
        low.set(path, Math.min(low.get(path), low.get(to)));
      } else if (stack.includes(to)) low.set(path, Math.min(low.get(path), numbers.get(to)));
    }
    if (low.get(path) === numbers.get(path)) found.push(stack.splice(stack.indexOf(path)).sort());
  };
  for (const path of modules.keys()) if (!numbers.has(path)) visit(path);
  return found.filter(({ length }) => length > 1).sort((a, b) => b.length - a.length);
}

/**
 * Lists the imports of the library that a room must not have: from a later room, from a folder that is no room, or from a file
 * beside the rooms. Those files are the entries, which may import anything. Undefined where the library has none of the rooms.
 */
export function wrongDirections({ modules }) {
  const folder = "packages/core/src/";
  const roomOf = (path) => path.slice(folder.length).match(/^([^/]+)\//)?.[1];
  const own = [...modules.values()].filter(({ path }) => path.startsWith(folder));
  if (!own.some(({ path }) => ROOMS.includes(roomOf(path)))) return undefined;
  return own.flatMap(({ path, imports }) =>
    imports
      .filter(({ to }) => to !== undefined && roomOf(path) !== undefined && !isAllowed(roomOf(path), to))
      .map(({ to }) => ({ from: path, to })),
  );

  function isAllowed(room, to) {
    if (!to.startsWith(folder)) return false;
    const other = roomOf(to);
    return room === other || (ROOMS.includes(other) && ROOMS.indexOf(other) < ROOMS.indexOf(room));
  }
}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allLearners } from "#core/learners/index.js";
import { portableTasks } from "#core/portable-tasks.js";
import { findTask } from "#core/runtime/task.js";
import { taskModules } from "#core/task-modules.js";
import { type Import, readGraph } from "../../../scripts/module-graph.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCE = "packages/core/src/";
const graph = readGraph(root);

function textOf(path: string): string {
  return readFileSync(`${root}/${path}`, "utf8");
}

/** The ids of all tasks of the library, as they are written in its sources, or of those of one kind. */
function definedTasks(kind = "(?:Nodes|Pure|Portable)?"): string[] {
  const paths = [...graph.modules.keys()].filter((path) => path.startsWith(SOURCE));
  const calls = paths.flatMap((path) => [
    ...textOf(path).matchAll(new RegExp(`define${kind}Task\\(\\s*"([^"]+)"`, "g")),
  ]);
  return calls.map(([, id]) => id);
}

/** The lines of the list: the module of each task, and whether it also needs learners by name. */
function listedModules(): { id: string; path: string; learners: boolean }[] {
  const lines = textOf(`${SOURCE}task-modules.ts`).matchAll(
    /"([^"]+)": \(\) =>\s*(alsoLearners\()?import\("\.\/([^"]+)\.js"\)/g,
  );
  return Array.from(lines, ([, id, also, file]) => ({
    id,
    path: `${SOURCE}${file}.ts`,
    learners: also !== undefined,
  }));
}

/** Returns the path from a module to the first import of a package, through imports of values; undefined if there is none. */
function wayTo(name: string, from: string): string[] | undefined {
  const ways = new Map([[from, [from]]]);
  const isLoaded = ({ kind }: Import) => kind === "value";
  for (const [path, way] of ways) {
    for (const { specifier, to } of graph.modules.get(path)?.imports.filter(isLoaded) ?? []) {
      if (specifier === name) return [...way, name];
      if (to !== undefined && !ways.has(to)) ways.set(to, [...way, to]);
    }
  }
  return undefined;
}

it("learners name tasks of the library", async () => {
  const named = (await allLearners()).flatMap(({ tasks = [] }) => tasks);
  expect(named).toContain("forest/grow");
  expect(named.filter((id) => !Object.hasOwn(taskModules, id))).toEqual([]);
});

it("portable tasks are those that are defined as such", () => {
  expect(Object.keys(portableTasks).sort()).toEqual(definedTasks("Portable").sort());
});

describe("the modules of tasks", () => {
  it("are listed for every task of the library, and only for those", () => {
    expect(Object.keys(taskModules).sort()).toEqual(definedTasks().sort());
    expect(listedModules().map(({ id }) => id)).toEqual(Object.keys(taskModules));
  });

  it.each(Object.keys(taskModules))("define %s", async (id) => {
    await taskModules[id]();
    expect(findTask(id)).toBeDefined();
  });

  it.each(listedModules().filter(({ learners }) => !learners))("load no schemas for $id", ({ path }) => {
    expect(wayTo("zod", path)).toBeUndefined();
  });

  it("are followed through values", () => {
    expect(wayTo("zod", `${SOURCE}learners/frame.ts`)).toBeDefined();
  });
});

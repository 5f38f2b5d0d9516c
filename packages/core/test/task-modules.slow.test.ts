import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { allLearners } from "#core/learners/index.js";
import { portableTasks } from "#core/portable-tasks.js";
import { findTask } from "#core/runtime/parallel/task.js";
import { taskModules } from "#core/task-modules.js";

const source = fileURLToPath(new URL("../src", import.meta.url));

function textOf(path: string): string {
  return readFileSync(`${source}/${path}`, "utf8");
}

/** The ids of all tasks of the library, as they are written in its sources, or of those of one kind. */
function definedTasks(kind = "(?:Nodes|Pure|Portable|Range|PausableRange)?"): string[] {
  const paths = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const calls = paths.flatMap((path) => [
    ...textOf(path).matchAll(new RegExp(`define${kind}Task\\(\\s*"([^"]+)"`, "g")),
  ]);
  return calls.map(([, id]) => id);
}

/** The lines of the list: the module of each task, and whether it also needs learners by name. */
function listedModules(): { id: string; path: string; learners: boolean }[] {
  const lines = textOf("task-modules.ts").matchAll(
    /"([^"]+)": \(\) =>\s*(alsoLearners\()?import\("\.\/([^"]+)\.js"\)/g,
  );
  return Array.from(lines, ([, id, also, file]) => ({
    id,
    path: `${file}.ts`,
    learners: also !== undefined,
  }));
}

/** Whether a module imports a package, itself or through its imports of values. */
async function loads(name: string, path: string): Promise<boolean> {
  const { metafile } = await build({
    entryPoints: [`${source}/${path}`],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    external: [name],
    plugins: [
      {
        name: "static imports only",
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, ({ kind }) =>
            kind === "dynamic-import" ? { external: true } : undefined,
          ),
      },
    ],
  });
  return Object.values(metafile.inputs).some(({ imports }) =>
    imports.some((one) => one.path === name && one.kind === "import-statement"),
  );
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

  it.each(listedModules().filter(({ learners }) => !learners))(
    "load no schemas for $id",
    async ({ path }) => {
      expect(await loads("zod", path)).toBe(false);
    },
  );

  it("are followed through values", async () => {
    expect(await loads("zod", "learners/define-learner.ts")).toBe(true);
  });
});

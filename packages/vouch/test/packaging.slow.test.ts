import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { numberAt } from "@vouch/core/internal/table/column";
import { readTable } from "@vouch/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as vouch from "vouch";
import { type Packed, pack } from "../../../scripts/pack.mjs";
import { parquetBytes } from "../../formats/test/parquet-bytes.js";
import { flowersCsv } from "./vouch.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const workspace = mkdtempSync(join(tmpdir(), "vouch-packages-"));
const project = join(workspace, "project");
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
/** A user's environment: npm tells programs that it starts about the project that they are started from. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV|NO_COLOR|FORCE_COLOR)/i.test(name)),
);

function run(program: string, args: readonly string[], cwd = project) {
  return spawnSync(program, args, { cwd, env, encoding: "utf8", timeout: 120_000 });
}

/** Runs what must succeed; gives what it printed. */
function output(program: string, args: readonly string[], cwd = project): string {
  const { status, stdout, stderr } = run(program, args, cwd);
  expect(status, `${program} ${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** Installs into the empty project, from what npm has in store if that will do; gives what went wrong, if anything did. */
function install(packages: readonly string[]): string {
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
  if (run("npm", [...args, "--offline"]).status === 0) return "";
  const { status, stderr } = run("npm", args);
  return status === 0 ? "" : stderr || "npm did not finish";
}

/** The bytes of all files in a folder. */
function bytesIn(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.reduce((sum, path) => {
    const stats = lstatSync(join(folder, path));
    return sum + (stats.isFile() ? stats.size : 0);
  }, 0);
}

const isUnreachable = (fault: string) => /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH/.test(fault);

/**
 * Uses every package as its documentation says; TypeScript, and JavaScript, too. What the report exports must not reach types
 * of Observable Plot, which need `@types/d3`: those belong to files that none of the exported ones takes types from.
 */
const program = `import { loadDataset } from "@vouch/datasets";
import { trainingReport } from "@vouch/report";
import { adaboost, forest, readTable, Table, threadExecutor, train as trainOn, trainClassifier } from "vouch";
import { Matrix, mean } from "vouch/extend";
import { loadModel, saveModel } from "vouch/node";
import { heldOutBinomial } from "vouch/theory";

const { train } = await loadDataset("iris");
const executor = threadExecutor({ threads: 2 });
const run = { seed: 1, executor };
const { classifier, certificates } = await trainClassifier(train, adaboost({ rounds: 10 }), { holdout: 0.2, run });
await trainClassifier(train, forest({ trees: 200 }), { run });
await executor.close();
await saveModel("iris.safetensors", classifier);
const restored = await loadModel("iris.safetensors");
const csv = new TextEncoder().encode("petal_width,petal_length,sepal_length,sepal_width\\n0.2,1.4,5,3\\n");
const flowers = await readTable(csv, { format: "csv" });
const [{ statement }] = certificates;
const { verdict } = await trainOn("iris", { learner: "tree" });
console.log(JSON.stringify({
  predictions: restored.predict(flowers),
  rows: Table.fromRecords("two", [{ a: 1 }, { a: 2 }]).rows,
  statement,
  report: typeof trainingReport,
  better: verdict.better,
  bound: heldOutBinomial({ rows: 3, errors: 0, confidence: 0.875 }).value,
  mean: mean(Matrix.from([[1, 3]]).row(0)),
}));
`;

/** A module that passes on whatever the functions of the library give: its declarations have to name the types of all that. */
const passingOn = (names: readonly string[]) =>
  [
    'import * as vouch from "vouch";',
    ...names.map(
      (name) =>
        `export function ${name}(...given: Parameters<typeof vouch.${name}>) { return vouch.${name}(...given); }`,
    ),
  ].join("\n");

describe("packages in an empty project", () => {
  let packed: Packed[] = [];
  let absent = "";

  beforeAll(() => {
    packed = pack(workspace);
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const types = `@types/node@${devDependencies["@types/node"]}`;
    const fault = install([...packed.map(({ filename }) => join(workspace, filename)), types]);
    if (isUnreachable(fault) && !process.env.CI) absent = fault;
    else expect(fault).toBe("");
    if (absent) console.warn("The registry is not reachable: packages are not tested in an empty project.");
  }, 180_000);

  it("have all that they need, and nothing that they do not", () => {
    const names = [
      "cluster",
      "core",
      "datasets",
      "formats",
      "onnx",
      "report",
      "serve",
      "studio",
      "views",
    ].map((name) => `@vouch/${name}`);
    expect(packed.map(({ name }) => name).sort()).toEqual([...names, "vouch"].sort());
    for (const { name, filename, files, unpackedSize } of packed) {
      const paths = files.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
      const odd = paths.filter(
        (path) =>
          !/^(dist\/.*(\.js|\.d\.ts)|dist\/client\.json|dist\/page\.css|dist\/site\/.*|bin\/.*|data\/.*|[\w.]+)$/.test(
            path,
          ),
      );
      expect(odd, name).toEqual([]);
      expect(unpackedSize).toBeLessThan(5_000_000);
      // Vite prints a warning for each module that names a source map which is not there.
      const contents = gunzipSync(readFileSync(join(workspace, filename))).toString("latin1");
      expect(contents.match(/^\/\/# sourceMappingURL=.*/gm), name).toBeNull();
    }
  });

  it("work from JavaScript", ({ skip }) => {
    skip(absent !== "");
    writeFileSync(join(project, "program.js"), program);
    const told = JSON.parse(output(process.execPath, ["program.js"]));
    expect(told).toEqual({
      predictions: ["setosa"],
      rows: 2,
      statement: expect.stringMatching(/^With 95% confidence at most/),
      report: "function",
      better: "yes",
      bound: expect.closeTo(0.5, 9),
      mean: 2,
    });
  });

  it("read Parquet without DuckDB, which is an optional dependency", async ({ skip }) => {
    skip(absent !== "");
    expect(existsSync(join(project, "node_modules/@duckdb"))).toBe(false);
    const bytes = await parquetBytes(
      "SELECT i, 'k' || (i % 3) AS k, DATE '2020-01-01' + i::INTEGER AS day FROM range(50) t(i)",
    );
    writeFileSync(join(project, "rows.parquet"), bytes);
    writeFileSync(
      join(project, "parquet.js"),
      `import { readTable } from "@vouch/formats";
const { columns } = await readTable("rows.parquet", { target: "k" });
console.log(JSON.stringify(columns.map((column) => column.kind === "numeric" ? Array.from(column.values) : Array.from(column.codes, (code) => column.levels[code]))));
`,
    );
    const expected = await readTable(bytes, { target: "k" });
    const cells = expected.columns.map((column) =>
      column.kind === "numeric"
        ? Array.from({ length: 50 }, (_, row) => numberAt(column.values, row))
        : Array.from(column.codes, (code) => column.levels[code]),
    );
    expect(JSON.parse(output(process.execPath, ["parquet.js"]))).toEqual(cells);
  });

  it("work from the command line", ({ skip }) => {
    skip(absent !== "");
    const { version } = manifestOf("vouch");
    expect(output("npx", ["vouch", "--version"])).toBe(`${version}\n`);
    writeFileSync(join(project, "flowers.csv"), flowersCsv(150));
    const report = ["--out", "cli.safetensors", "--report", "report.html", "--quiet"];
    const flags = ["--learner", "stump", ...report];
    expect(output("npx", ["vouch", "train", "flowers.csv", ...flags])).toContain("model saved to");
    expect(output("npx", ["vouch", "predict", "cli.safetensors", "flowers.csv"]).split("\n")).toHaveLength(
      152,
    );
    expect(readFileSync(join(project, "report.html"), "utf8")).toContain("<svg");
  });

  it("run the library example of the README, and that of a file", ({ skip }) => {
    skip(absent !== "");
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const blocks = Array.from(readme.matchAll(/^```js\n(.*?)^```/gms), ([, code]) => code);
    const data = "packages/datasets/data/iris.csv";
    cpSync(join(root, data), join(project, data));
    writeFileSync(join(project, "readme.js"), blocks.join("\n"));
    const told = output(process.execPath, ["readme.js"]);
    expect(told).toMatch(/^Better than always answering /);
    expect(told).toMatch(/^setosa \{/m);
    cpSync(join(root, "examples/train-a-file.mjs"), join(project, "train-a-file.mjs"));
    expect(output(process.execPath, ["train-a-file.mjs", data, "2"])).toMatch(
      /^Better than always answering .*\nWith 95% confidence at most /,
    );
  });

  it("work without optional packages, and name the one that a command needs", ({ skip }) => {
    skip(absent !== "");
    const small = join(workspace, "small");
    mkdirSync(small);
    writeFileSync(join(small, "package.json"), '{ "private": true, "type": "module" }\n');
    const needed = ["vouch", "@vouch/core", "@vouch/datasets", "@vouch/formats"];
    const files = packed.flatMap(({ name, filename }) =>
      needed.includes(name) ? [join(workspace, filename)] : [],
    );
    output(
      "npm",
      ["install", "--omit=optional", "--no-audit", "--no-fund", "--prefer-offline", ...files],
      small,
    );
    expect(readdirSync(join(small, "node_modules/@vouch"))).toEqual(["core", "datasets", "formats"]);
    // Measured: 13.9 MB, of which zod takes 6.3.
    expect(bytesIn(join(small, "node_modules"))).toBeLessThan(14_000_000);
    writeFileSync(join(small, "flowers.csv"), flowersCsv(150));
    const flags = ["--learner", "stump", "--out", "i.st"];
    expect(output("npx", ["vouch", "train", "flowers.csv", ...flags], small)).toContain("next:");
    for (const [name, args] of Object.entries({
      report: ["train", "flowers.csv", "--report", "r.html"],
      serve: ["serve", "i.st"],
      studio: ["studio"],
      cluster: ["predict", "i.st", "flowers.csv", "--cluster", "redis://127.0.0.1:1"],
      onnx: ["export", "i.st", "--out", "i.onnx"],
    })) {
      const { status, stderr } = run("npx", ["vouch", ...args], small);
      expect(status).toBe(1);
      expect(stderr).toContain(`npm install @vouch/${name}`);
    }
  });

  it("work from TypeScript, strictly, by either resolution of modules", ({ skip }) => {
    skip(absent !== "");
    writeFileSync(join(project, "program.ts"), program);
    writeFileSync(join(project, "wrong.ts"), program.replace("rounds: 10", 'rounds: "ten"'));
    const functions = Object.entries(vouch).filter(([, value]) =>
      /^(async )?(function|\()/.test(String(value)),
    );
    expect(functions.length).toBeGreaterThan(40);
    writeFileSync(join(project, "passing-on.ts"), passingOn(functions.map(([name]) => name)));
    const flags = ["--strict", "--target", "es2023", "--lib", "es2023,dom", "--types", "node"];
    const asNode = ["--module", "nodenext", "--moduleResolution", "nodenext"];
    const asBundlers = ["--module", "esnext", "--moduleResolution", "bundler"];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    expect(output(process.execPath, [tsc, "--noEmit", ...flags, ...asBundlers, "program.ts"])).toBe("");
    const declarations = ["--declaration", "--emitDeclarationOnly", "--outDir", "declarations"];
    const files = ["program.ts", "wrong.ts", "passing-on.ts"];
    const { stdout } = run(process.execPath, [tsc, ...declarations, ...flags, ...asNode, ...files]);
    expect(stdout).toMatch(/^wrong\.ts\(\d+,\d+\): error TS\d+: /m);
    expect(stdout.match(/.*error TS.*/g)).toEqual([expect.stringMatching(/^wrong\.ts/)]);
    expect(readFileSync(join(project, "declarations/passing-on.d.ts"), "utf8")).not.toMatch(
      /import\("\.|\bany\b/,
    );
  });
});

import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const [code, line] = Array.from(page.matchAll(/```ts\n(.*?)```/gs), ([, block]) => block);
const packages = ["core", "vouch", "formats", "datasets", "views", "report", "studio", "serve"];

let copy: string;

/** A copy of the workspace in which the example of CONTRIBUTING.md has been followed: a file and a line. */
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "vouch-learner-"));
  for (const name of packages) {
    cpSync(join(root, "packages", name), join(copy, "packages", name), {
      recursive: true,
      filter: (path) =>
        !/node_modules|\/results\/|\/test\/(?!fault|learners)[\w-]+/.test(path) || path.endsWith("/test"),
    });
  }
  for (const name of ["tsconfig.base.json", "package.json"]) cpSync(join(root, name), join(copy, name));
  linkModules();
  const learners = join(copy, "packages/core/src/learners");
  mkdirSync(join(learners, "nearest-mean"));
  writeFileSync(join(learners, "nearest-mean/nearest-mean.ts"), code);
  const list = readFileSync(join(learners, "index.ts"), "utf8");
  writeFileSync(
    join(learners, "index.ts"),
    list.replace(/^ {2}stump: .*\n/m, (stump) => stump + line),
  );
  const built = run("node_modules/typescript/bin/tsc", "-b", "packages/core");
  expect(built.stdout).toBe("");
}, 120_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The modules of the workspace, with the packages of the copy in place of its own. */
function linkModules(): void {
  const from = join(root, "node_modules");
  const to = join(copy, "node_modules");
  mkdirSync(join(to, "@vouch"), { recursive: true });
  for (const name of readdirSync(from)) {
    if (!["vouch", "@vouch"].includes(name)) symlinkSync(join(from, name), join(to, name));
  }
  for (const name of packages) {
    symlinkSync(join(copy, "packages", name), join(to, name === "vouch" ? name : `@vouch/${name}`));
  }
}

function run(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
}

const vouch = (...args: string[]) => run("packages/vouch/bin/vouch.js", ...args);

it("the example has at most 60 lines", () => {
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(60);
  expect(line.trim().split("\n")).toHaveLength(1);
});

it("a new learner is in the help, trains, saves, loads and predicts", () => {
  expect(vouch("help").stdout).toContain("nearest-mean");
  expect(vouch("help", "nearest-mean").stdout).toContain("Fraction by which means move towards zero.");
  const trained = vouch(
    "train",
    "iris",
    "--learner",
    "nearest-mean",
    "--set",
    "shrinkage=0.1",
    "--out",
    "m",
    "--json",
  );
  expect(trained.stderr).toBe("");
  const { error, options } = JSON.parse(trained.stdout);
  expect(error.test).toBeLessThan(0.35);
  expect(options).toEqual({ shrinkage: 0.1 });
  const predicted = vouch("predict", "m", "iris");
  expect(predicted.stdout.split("\n")).toHaveLength(152);
  expect(vouch("inspect", "m").stdout).toContain("class means");
  const bad = vouch("train", "iris", "--learner", "nearest-mean", "--set", "shrinkage=2");
  expect(bad.stderr).toContain("nearest-mean: shrinkage must be");
});

it("a new learner can be compared with others", () => {
  const { stdout } = vouch("compare", "iris", "--learners", "majority,nearest-mean", "--json");
  const names = JSON.parse(stdout).learners.map(({ name }: { name: string }) => name);
  expect(names.sort()).toEqual(["majority", "nearest-mean"]);
});

it("a new learner passes the test that every learner must pass", () => {
  const config =
    'export default { test: { include: ["packages/core/test/learners/every-learner.slow.test.ts"] } };\n';
  writeFileSync(join(copy, "vitest.config.mjs"), config);
  const { stdout, status } = run("node_modules/vitest/vitest.mjs", "run", "-t", "nearest-mean");
  expect(status, stdout).toBe(0);
  expect(stdout).toMatch(/Tests .*10 passed/);
}, 60_000);

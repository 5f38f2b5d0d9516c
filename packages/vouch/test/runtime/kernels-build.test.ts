import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let project: string;
let output: string;
const build = () => spawnSync(process.execPath, [join(project, "kernels/build.mjs")], { encoding: "utf8" });

/** A copy of the sources, built there: the test leaves the kernels of the other tests alone. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "vouch-kernels-"));
  output = join(project, "src/runtime/kernels.generated.ts");
  cpSync(here("../../kernels"), join(project, "kernels"), { recursive: true });
  mkdirSync(join(project, "src/runtime"), { recursive: true });
  symlinkSync(here("../../../../node_modules"), join(project, "node_modules"));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the build is the same every time, does nothing when fresh, and keeps the old result when it fails", () => {
  expect(build()).toMatchObject({ status: 0, stdout: "Compiling the kernels.\n", stderr: "" });
  const built = readFileSync(output, "utf8");
  expect(built).toBe(readFileSync(here("../../src/runtime/kernels.generated.ts"), "utf8"));

  const { mtimeMs } = statSync(output);
  expect(build()).toMatchObject({ status: 0, stdout: "", stderr: "" });
  expect(statSync(output).mtimeMs).toBe(mtimeMs);

  appendFileSync(join(project, "kernels/vector.ts"), 'const wrong: i32 = "text";\n');
  const failure = build();
  expect(failure.status).toBe(1);
  expect(failure.stderr).toContain("The kernels could not be compiled.");
  expect(failure.stderr).toMatch(/vector\.ts\(\d+,\d+\)/);
  expect(readFileSync(output, "utf8")).toBe(built);
  expect(readdirSync(join(project, "src/runtime"))).toEqual(["kernels.generated.ts"]);
});

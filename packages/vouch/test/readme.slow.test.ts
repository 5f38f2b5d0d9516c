import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The fenced blocks of the README in a language. */
function blocks(language: string): string[] {
  const all = [...readme.matchAll(/```(\w*)\n(.*?)```/gs)];
  return all.filter(([, name]) => name === language).map(([, , text]) => text);
}

describe("the README", () => {
  it("trains in five lines of library code", () => {
    expect(blocks("js")[0].trim().split("\n")).toHaveLength(5);
  });

  it("shows library code that runs", () => {
    const folder = mkdtempSync(join(tmpdir(), "vouch-readme-"));
    try {
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      cpSync(join(root, "packages/datasets/data"), join(folder, "packages/datasets/data"), {
        recursive: true,
      });
      writeFileSync(join(folder, "example.mjs"), blocks("js").join("\n"));
      const { status, stdout, stderr } = spawnSync(process.execPath, ["example.mjs"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(status).toBe(0);
      expect(stdout).toMatch(/^Better than always answering /);
      expect(stdout).toMatch(/^With 95% confidence at most \d+\.\d% of new cases .* are misclassified/m);
      expect(stdout).toMatch(/^setosa \{/m);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("shows what the first command prints", { timeout: 180_000 }, () => {
    const printed = blocks("")[0].trim().split("\n");
    const folder = mkdtempSync(join(tmpdir(), "vouch-readme-"));
    try {
      const { stdout } = spawnSync(
        process.execPath,
        // Time enough for all candidates, on a slow machine too: then the choice does not depend on it.
        [join(root, "packages/vouch/bin/vouch.js"), "train", "penguins", "--quiet", "--budget", "10m"],
        { cwd: folder, encoding: "utf8" },
      );
      const told = stdout.split("\n");
      // Times depend on the machine, and the errors of other candidates are there for show.
      const stable = printed.filter(
        (line) => line !== "" && !/trained on| ± |^ {2}learner|^ {2}and /.test(line),
      );
      expect(stable.length).toBeGreaterThan(5);
      for (const line of stable) {
        expect(told).toContain(line);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("links to pages that exist", () => {
    for (const [, link] of readme.matchAll(/\]\((?!http)([^)#]+)(?:#[^)]*)?\)/g)) {
      expect(() => readFileSync(join(root, link)), link).not.toThrow();
    }
  });
});

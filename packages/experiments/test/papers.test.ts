import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { experiments } from "@vouch/experiments";
import { describe, expect, it } from "vitest";
import { coverage } from "#experiments/results-page.js";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
const page = readFileSync(join(docs, "papers.md"), "utf8");

/** The rows of the tables that lead from a statement to its function, source, test and experiment. */
const rows = Array.from(page.matchAll(/^\| (.*) \|$/gm), ([, line]) => line.split(" | "))
  .filter((cells) => cells.length === 5 && !/^(?:statement|-+)$/.test(cells[0]))
  .map(([statement, functions, sources, tests, found]) => ({
    statement,
    functions: Array.from(functions.matchAll(/`(\w+)`/g), ([, name]) => name),
    sources: addressesIn(sources),
    tests: addressesIn(tests),
    experiments: Array.from(found.matchAll(/\[([^\]]+)\]/g), ([, name]) => name),
  }));

function addressesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/\]\(([^)#]+)\)/g), ([, address]) => address);
}

const isExported = (name: string, source: string) =>
  new RegExp(`^export (?:async )?(?:function\\*? |const |class )${name}\\b`, "m").test(source);

describe("docs/papers.md", () => {
  it("leads to a function, a source and a test in every row", () => {
    expect(rows.length).toBeGreaterThan(50);
    for (const { statement, functions, sources, tests } of rows) {
      expect([functions.length, sources.length, tests.length], statement).not.toContain(0);
    }
  });

  it("names files that exist, and functions that they export", () => {
    const wrong = rows.flatMap(({ statement, functions, sources, tests }) => {
      const lost = [...sources, ...tests].filter((file) => !existsSync(join(docs, file)));
      const texts = sources
        .filter((file) => !lost.includes(file))
        .map((file) => readFileSync(join(docs, file), "utf8"));
      const unknown = functions.filter((name) => !texts.some((text) => isExported(name, text)));
      return [
        ...lost.map((file) => `${statement}: ${file} does not exist. Was it renamed? Change docs/papers.md.`),
        ...unknown.map(
          (name) => `${statement}: no source of the row exports "${name}". Was it renamed or moved?`,
        ),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it("names experiments that exist, and every experiment with a paper's table, figure or theorem", () => {
    const known = experiments.map(({ name }) => name);
    const named = rows.flatMap((row) => row.experiments);
    expect(
      named.filter((name) => !known.includes(name)),
      "experiments that docs/papers.md names, but nobody computes",
    ).toEqual([]);
    const ofPapers = coverage.flatMap(({ paper, experiment }) => (paper === "–" ? [] : (experiment ?? [])));
    expect(
      ofPapers.filter((name) => !named.includes(name)),
      "experiments that docs/papers.md should name",
    ).toEqual([]);
  });

  it("has the numbered statements of every work", () => {
    const statements = rows.map(({ statement }) => statement).join("; ");
    const theorems = ["2.1", "2.2", "2.3", "2.4", "2.5", "3.1", "3.2", "3.3", "3.4", "3.5", "4.1", "4.2"];
    for (const number of theorems) expect(statements).toMatch(new RegExp(`Theorems? [\\d., ]*${number}`));
  });
});

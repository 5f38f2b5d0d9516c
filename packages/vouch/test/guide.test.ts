import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultCandidates } from "@vouch/core/internal/select/candidates";
import { labelled } from "@vouch/core/internal/table/target";
import { describe, expect, it } from "vitest";
import { allLearners, Table } from "vouch";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

const MOST_WORDS = 1500;

/** Counts words without code, addresses of links and generated tables; `cli.md` and `errors.md` are generated as a whole. */
function wordsOf(page: string): number {
  const prose = page
    .replaceAll(/^```.*?^```$/gms, "")
    .replaceAll(/<!-- ([\w ]+) -->.*?<!-- \/\1 -->/gs, "")
    .replace(/^## Options\n\n(?:\|.*\n)+/m, "")
    .replaceAll(/\]\([^)]*\)/g, "]");
  return prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const pages = ["docs", "docs/design", "docs/learners"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md") && name !== "cli.md" && name !== "errors.md")
    .map((name) => `${folder}/${name}`),
);

describe("the guide", () => {
  it.each(pages)("%s has at most 1,500 words", (page) => {
    expect(wordsOf(read(page))).toBeLessThanOrEqual(MOST_WORDS);
  });

  it("begins with a README and a map of the code that fit on a few screens", () => {
    for (const page of ["README.md", "docs/architecture.md"])
      expect(read(page).split("\n").length, page).toBeLessThanOrEqual(150);
  });
});

describe("docs/choose-a-learner.md", () => {
  const rows = Array.from(
    read("docs/choose-a-learner.md").matchAll(/^\| \[([\w-]+)\]\(learners\/\1\.md\) \| (.*?) \| (.*?) \|/gm),
    ([, name, race, classes]) => ({ name, race, classes }),
  );

  it("lists each learner with the classes that it takes", async () => {
    const learners = await allLearners();
    expect(rows.map(({ name, classes }) => [name, classes !== "2"])).toEqual(
      learners.map(({ name, multiclass }) => [name, multiclass]),
    );
  });

  it("marks the learners that take part in a race", async () => {
    const records = Array.from({ length: 40 }, (_, i) => ({ x: i % 7, y: i % 2 === 0 ? "a" : "b" }));
    const candidates = await defaultCandidates(labelled(Table.fromRecords("rows", records), "y"));
    const marked = rows.filter(({ race }) => race === "yes").map(({ name }) => name);
    expect(marked.sort()).toEqual([...new Set(candidates.map(({ name }) => name))].sort());
  });
});

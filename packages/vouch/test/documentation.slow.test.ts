import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generatedPages } from "../../../scripts/generated-pages.mjs";
import { bin, Desk } from "./vouch.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "examples/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && dirname(name) !== "api")
    .map((name) => join("docs", name)),
];

/** The address of a heading as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** All of a page; headings that are alike are numbered. */
function anchorsOf(page: string): string[] {
  const plain = Array.from(page.matchAll(/^#+ (.+)$/gm), ([, heading]) => anchorOf(heading));
  return plain.map((anchor, i) => {
    const earlier = plain.slice(0, i).filter((other) => other === anchor).length;
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}

describe("pages", () => {
  it.each(pages)("%s links to what exists", (page) => {
    const links = read(page)
      .replaceAll(/```.*?```/gs, "")
      .matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g);
    for (const [link, path, anchor] of links) {
      const target = path === "" ? page : join(dirname(page), path);
      expect(() => read(target), link).not.toThrow();
      // What follows the playground's page is a problem for the playground itself, to which the site leads.
      if (anchor !== undefined && !anchor.startsWith("playground?"))
        expect(anchorsOf(read(target)), link).toContain(anchor);
    }
  });

  it("are all in the index, which has every learner", () => {
    const index = read("docs/README.md");
    const listed = Array.from(index.matchAll(/\]\(([\w-]+\/?[\w-]*\.md)\)/g), ([, path]) =>
      join("docs", path),
    );
    const expected = pages.filter((page) => /^docs\/(?!results\/(?!README)|README)/.test(page));
    expect(listed.sort()).toEqual(expected.sort());
  });

  it("that are generated are as the code is", async () => {
    const generated = await generatedPages();
    expect(generated.size).toBeGreaterThan(25);
    const stale = [...generated].filter(([path, text]) => read(path) !== text).map(([path]) => path);
    expect(stale, "run `npm run docs`").toEqual([]);
  });

  it("of learners show their options and lead to the playground", () => {
    for (const page of pages.filter((name) => name.startsWith("docs/learners/"))) {
      expect(read(page), page).toContain("<!-- options -->");
      expect(read(page), page).toContain("](../playground.md#playground");
    }
  });

  it("explain every command and each error code in at least two sentences", () => {
    const cli = read("docs/cli.md");
    expect(cli).toContain("| `-t, --target <column>` | column with the class");
    expect(cli.match(/^## vouch /gm)).toHaveLength(17);
    const errors = read("docs/errors.md").split(/^### /m).slice(1);
    expect(errors.length).toBeGreaterThan(50);
    for (const entry of errors) expect(entry).toMatch(/^[\w-]+\/[\w-]+\n\n[A-Z`].*\. [A-Z].*\.\n/);
  });
});

/** The fenced blocks of a page with their languages. */
const blocksOf = (text: string) =>
  Array.from(text.matchAll(/^```(\w*)\n(.*?)^```$/gms), ([, language, block]) => ({ language, block }));

describe("the tutorial", () => {
  const desk = new Desk();

  /** A port that nobody listens on. */
  const freePort = () =>
    new Promise<string>((resolve) => {
      const server = createServer().listen(0, () => {
        const { port } = Object(server.address());
        server.close(() => resolve(String(port)));
      });
    });

  /** Lines as they are compared: whatever the numbers are. */
  const shape = (line: string) => line.trim().replaceAll(/\d[\d.,]*/g, "#");

  it("has commands and programs that do what it says", async () => {
    mkdirSync(join(desk.path, "bin"));
    symlinkSync(bin, join(desk.path, "bin", "vouch"));
    symlinkSync(join(root, "node_modules"), join(desk.path, "node_modules"));
    const env = { PATH: `${join(desk.path, "bin")}:${process.env.PATH}` };
    const text = read("docs/tutorial.md").replaceAll("8080", await freePort());
    const told: string[] = [];
    let compared = 0;
    for (const { language, block } of blocksOf(text)) {
      if (language === "js") desk.file(block.match(/^\/\/ (\S+)/)?.[1] ?? expect.fail(), block);
      if (language === "sh")
        told.push(
          ...(
            await desk.print([], {
              program: ["bash", "-ec", `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${block}`],
              env,
            })
          )
            .split("\n")
            .map(shape),
        );
      if (language !== "") continue;
      for (const line of block.split("\n").filter((line) => line !== "")) {
        expect(told).toContain(shape(line));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect(desk.read("cells.html")).toContain("</html>");
  });
});

describe.each(["decisions", "costs", "abstention-and-sets"])("docs/%s.md", (name) => {
  const desk = new Desk();
  execFileSync(process.execPath, [join(root, "examples/churn.mjs"), desk.path]);

  /** Numbers of probabilities as they are compared: their last digits are there for show. */
  const rounded = (text: string) => text.replaceAll(/(\d\.\d{4})\d{4,}/g, "$1");

  it("quotes what its commands print", async () => {
    let told = "";
    let quotes = 0;
    for (const { language, block } of blocksOf(read(`docs/${name}.md`))) {
      if (language === "sh") {
        // A pipe behind a command only takes some lines of its output.
        const commands = block
          .trim()
          .split("\n")
          .map((line) => line.split(" | ")[0].split(" ").slice(1));
        const printed: string[] = [];
        for (const command of commands) printed.push(await desk.print(command));
        told = rounded(printed.join("\n"));
      }
      if (language !== "") continue;
      for (const line of rounded(block).trimEnd().split("\n")) expect(told.split("\n")).toContain(line);
      quotes++;
    }
    expect(quotes).toBeGreaterThan(1);
  });
});

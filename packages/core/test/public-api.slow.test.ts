import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allLearners } from "vouch";
import { apiPages } from "../../../scripts/api-pages.mjs";
import { publicApi } from "../../../scripts/public-api.mjs";

const modules = publicApi();
const entries = modules.filter(({ name }) => name === "vouch" || name.startsWith("vouch/"));
const pages = apiPages(modules);

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** All pages but the changelog, which also names what no longer exists. */
const markdown = execFileSync("git", ["ls-files", "*.md", ":!CHANGELOG.md"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .map((path) => ({ path, text: readFileSync(root + path, "utf8") }));

/** The paths that programs can import, by the `exports` of the packages. */
const doors = execFileSync("git", ["ls-files", "packages/*/package.json"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(root + path, "utf8"));
    return Object.keys(exports).map((door) => door.replace(".", name));
  });

describe("the public API", () => {
  it.each(modules.map(({ name, exports }) => [name, exports] as const))(
    "%s has a comment on everything",
    (_, exports) => {
      expect(exports.filter(({ comment }) => comment.trim() === "").map(({ name }) => name)).toEqual([]);
      expect(exports.length).toBeGreaterThan(0);
    },
  );

  it("has these doors", () => {
    expect(modules.map(({ name }) => name)).toEqual([
      ...["vouch", "vouch/predict", "vouch/node", "vouch/theory", "vouch/extend"],
      ...["@vouch/cluster", "@vouch/datasets", "@vouch/formats", "@vouch/onnx", "@vouch/report"],
      ...["@vouch/serve", "@vouch/studio", "@vouch/views", "@vouch/views/facts"],
    ]);
  });

  it("has an entry for each kind of reader, which says in a sentence for whom it is", () => {
    for (const { name, about } of entries) expect(about, name).toMatch(/^[A-Z].{20,}\.$/);
  });

  it("has one meaning for each name, whichever door it comes from", () => {
    const meanings = new Map<string, string>();
    for (const { name, code } of entries.flatMap(({ exports }) => exports)) {
      expect(code, name).toBe(meanings.get(name) ?? code);
      meanings.set(name, code);
    }
    expect(meanings.size).toBeLessThanOrEqual(310);
    const all = new Set(modules.flatMap(({ exports }) => exports.map(({ name }) => name)));
    expect(all.size).toBeLessThanOrEqual(425);
  });

  it("is small where programs begin", () => {
    const [{ name, exports }] = entries;
    expect(name).toBe("vouch");
    expect(exports.length).toBeLessThan(165);
    const extend = entries.find((entry) => entry.name === "vouch/extend");
    expect(extend?.exports.length).toBeLessThan(50);
  });

  it("has a function for every learner, whose options are in the reference", async () => {
    const page = pages.get("docs/api/vouch.md") ?? "";
    const sections = page.split(/^### /m).map((section) => [section.split("\n")[0].toLowerCase(), section]);
    for (const { name, options } of (await allLearners()).filter(({ module }) => module === undefined)) {
      const own = sections.filter(([title]) => title === name.replaceAll("-", "")).map(([, text]) => text);
      expect(own, name).toHaveLength(1);
      for (const option of Object.keys(options.shape))
        expect(own[0]).toContain(`| \`${option === "baseOptions" ? "base.NAME" : option}\` |`);
    }
  });

  it("is listed in docs/api.md: run `npm run docs` after a change of it", () => {
    const index = fileURLToPath(new URL("../../../docs/api.md", import.meta.url));
    expect(readFileSync(index, "utf8")).toBe(pages.get("docs/api.md"));
  });

  it("has every name that a page imports", () => {
    const names = new Map(modules.map(({ name, exports }) => [name, exports.map((one) => one.name)]));
    let imports = 0;
    for (const { path, text } of markdown)
      for (const [line, list, door] of text.matchAll(/^import \{([^}]*)\} from "(@?vouch[^"]*)"/gm)) {
        const imported = list
          .split(",")
          .map((name) => name.trim().replace(/^type | as .*$/g, ""))
          .filter((name) => name !== "");
        expect(names.get(door) ?? [], `${path}: ${line}`).toEqual(expect.arrayContaining(imported));
        imports++;
      }
    expect(imports).toBeGreaterThan(30);
  });

  it("has every door that a page names", () => {
    for (const { path, text } of markdown)
      for (const [, door] of text.matchAll(/`(@vouch\/[\w-]+\/[^`\s]+|vouch\/[a-z][\w/-]*)`/g)) {
        const found = doors.some((one) =>
          one.endsWith("*") ? door.startsWith(one.slice(0, -1)) : door === one,
        );
        expect(found, `${path}: ${door}`).toBe(true);
      }
  });

  it("has a page for each door, whose links lead to headings", () => {
    expect(pages.size).toBe(modules.length + 1);
    for (const [path, text] of pages) {
      for (const [link, file, anchor] of text.matchAll(/\]\(([\w-]*\.md)?#([\w-]+)\)/g)) {
        const target = file === undefined ? text : (pages.get(`docs/api/${file}`) ?? "");
        expect(target.toLowerCase(), `${path}: ${link}`).toMatch(
          new RegExp(`^#+ ${anchor.replace(/-\d+$/, "")}$`, "m"),
        );
      }
    }
  });
});

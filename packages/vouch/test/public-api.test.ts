import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { learners } from "vouch";
import { apiPages } from "../../../scripts/api-pages.mjs";
import { publicApi } from "../../../scripts/public-api.mjs";

const modules = publicApi();
const folder = fileURLToPath(new URL("../../../docs/api/", import.meta.url));

describe("the public API", () => {
  it.each(modules.map(({ name, exports }) => [name, exports] as const))(
    "%s has a comment on everything",
    (_, exports) => {
      expect(exports.filter(({ comment }) => comment.trim() === "").map(({ name }) => name)).toEqual([]);
      expect(exports.length).toBeGreaterThan(0);
    },
  );

  it("has a function for every learner, whose options are in the reference", () => {
    const page = apiPages(modules).get("learners.md") ?? "";
    const sections = page.split(/^## /m).map((section) => [section.split("\n")[0].toLowerCase(), section]);
    for (const { name, options } of learners) {
      const own = sections.filter(([title]) => title === name.replaceAll("-", "")).map(([, text]) => text);
      expect(own, name).toHaveLength(1);
      for (const option of Object.keys(options.shape)) expect(own[0]).toContain(`| \`${option}\` |`);
    }
  });

  it("is what docs/api says: run `npm run docs` after a change of it", () => {
    const pages = apiPages(modules);
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
    const stale = [...pages].filter(([file, text]) => readFileSync(folder + file, "utf8") !== text);
    expect(stale.map(([file]) => file)).toEqual([]);
  });
});

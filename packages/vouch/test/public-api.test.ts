import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allLearners } from "vouch";
import * as z from "zod";
import { apiPages } from "../../../scripts/api-pages.mjs";
import { publicApi } from "../../../scripts/public-api.mjs";

const modules = publicApi();
const entries = modules.filter(({ name }) => name === "vouch" || name.startsWith("vouch/"));
const folder = fileURLToPath(new URL("../../../docs/api/", import.meta.url));
const packages = new URL("../../", import.meta.url);

/** The names and entries of all packages that have some. */
function manifests() {
  const schema = z.object({ name: z.string(), exports: z.record(z.string(), z.unknown()).default({}) });
  return readdirSync(packages).map((name) =>
    schema.parse(JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8"))),
  );
}

describe("the public API", () => {
  it.each(modules.map(({ name, exports }) => [name, exports] as const))(
    "%s has a comment on everything",
    (_, exports) => {
      expect(exports.filter(({ comment }) => comment.trim() === "").map(({ name }) => name)).toEqual([]);
      expect(exports.length).toBeGreaterThan(0);
    },
  );

  it("has all entries of all packages, except the script of threads, which exports nothing", () => {
    const exported = manifests().flatMap(({ name, exports }) =>
      Object.entries(exports)
        .filter(([, target]) => typeof target === "object")
        .map(([path]) => path.replace(".", name)),
    );
    const documented = modules.map(({ name }) => name);
    expect(exported.filter((path) => path !== "vouch/worker").sort()).toEqual(documented.sort());
  });

  it("has an entry for each kind of reader, which says in a sentence for whom it is", () => {
    for (const { name, about } of entries) expect(about, name).toMatch(/^[A-Z].{20,}\.$/);
  });

  it("has every name in one entry; others only repeat it, with what goes with it", () => {
    // Smaller entries of the library, for programs that load less.
    const parts = entries.filter(({ name }) => ["vouch/train", "vouch/predict", "vouch/data"].includes(name));
    const isRepeated = ({ section }: { readonly section: string }) => section === "Also here";
    const homes = entries
      .filter((entry) => !parts.includes(entry))
      .flatMap(({ exports }) => exports.filter((known) => !isRepeated(known)));
    const names = homes.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const repeated = entries.flatMap((entry) =>
      parts.includes(entry) ? entry.exports : entry.exports.filter(isRepeated),
    );
    expect(repeated.length).toBeGreaterThan(0);
    for (const { name, code } of repeated) {
      expect(homes.find((known) => known.name === name)?.code, name).toBe(code);
    }
  });

  it("is no crowd where programs begin", () => {
    const [{ name, exports }] = entries;
    expect(name).toBe("vouch");
    expect(exports.length).toBeLessThan(200);
  });

  it("has a function for every learner, whose options are in the reference", async () => {
    const page = apiPages(modules).get("learners.md") ?? "";
    const sections = page.split(/^## /m).map((section) => [section.split("\n")[0].toLowerCase(), section]);
    for (const { name, options } of (await allLearners()).filter(({ module }) => module === undefined)) {
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

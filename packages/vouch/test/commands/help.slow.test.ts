import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allLearners } from "vouch";
import { bin, Desk } from "../vouch.js";

const learners = await allLearners();
const desk = new Desk();

describe.concurrent("help", () => {
  it("names every command and every learner", async () => {
    const text = await desk.print(["help"]);
    for (const command of ["train", "predict", "evaluate", "certify", "inspect", "datasets", "help"]) {
      expect(text).toMatch(new RegExp(`^ {2}${command} `, "m"));
    }
    for (const { name } of learners) expect(text).toMatch(new RegExp(`^ {2}${name} `, "m"));
    expect(text).not.toContain("…");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("lists the ten options of train that are used most first, then one group after the other", async () => {
    const text = await desk.print(["help", "train"]);
    const groups = text
      .split("Examples:")[0]
      .split(/^(?=[A-Z][\w ]*:$)/m)
      .slice(2);
    const titles = groups.map((group) => group.split(":")[0]);
    const inOrder = ["Data", "Model", "Measuring", "Decisions", "Run", "Output", "Cluster"];
    expect(titles).toEqual(["Most used", ...inOrder]);
    expect(groups[0].match(/^ {2}-/gm)).toHaveLength(10);
  });

  it.each(["select", "compare", "predict", "evaluate", "certify", "worker", "datasets", "sign"])(
    "groups the options of %s in the same order",
    async (name) => {
      const text = await desk.print(["help", name]);
      const known = ["Most used", "Data", "Model", "Measuring", "Decisions", "Run", "Output", "Cluster"];
      const titles = Array.from(text.matchAll(/^([A-Z][\w ]*):$/gm), ([, title]) => title);
      const groups = titles.filter((title) => !["Arguments", "Examples"].includes(title));
      expect(groups).toEqual(known.filter((title) => groups.includes(title)));
      expect(groups.length).toBeGreaterThan(0);
      const [mostUsed = ""] = /^Most used:\n(?: .*\n)*/m.exec(text) ?? [];
      expect(mostUsed.match(/^ {2}-/gm)?.length ?? 0).toBeLessThanOrEqual(10);
    },
  );

  it.each(learners.map(({ name }) => name))("explains %s with all its options", async (name) => {
    const text = await desk.print(["help", name]);
    const { options, baseNamed } = learners.find((learner) => learner.name === name) ?? expect.fail();
    expect(text).toContain(`${name}: `);
    // Options of a base are set one by one.
    const shown = (option: string) => (baseNamed && option === "baseOptions" ? "base.NAME" : option);
    for (const option of Object.keys(options.shape)) expect(text).toContain(`--set ${shown(option)}=…`);
  });

  it("explains a command as its --help does", async () => {
    const text = await desk.print(["help", "train"]);
    expect(text).toContain("Usage: vouch train [options] <DATA>");
    expect(await desk.print(["train", "--help"])).toBe(text);
  });

  it("proposes the nearest topic", async () => {
    expect(await desk.fault(2, ["help", "adabost"])).toContain('Did you mean "adaboost"?');
  });

  it("prints the version", async () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await desk.print(["--version"])).toBe(`${manifest.version}\n`);
  });

  it("without arguments shows how it is used, as an error", async () => {
    const { code, stdout, stderr } = await desk.run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: vouch");
  });
});

describe("starting", () => {
  /** The modules that a command loads, as their resolved addresses. */
  async function modulesLoadedBy(args: readonly string[]): Promise<string[]> {
    const log = join(desk.path, "modules.log");
    desk.file(
      "hooks.mjs",
      `import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(log)}, url + "\\n");
  return next(url, context);
}
`,
    );
    desk.file(
      "register.mjs",
      'import { register } from "node:module";\nregister("./hooks.mjs", import.meta.url);\n',
    );
    desk.file("modules.log", "");
    await desk.print(args, { env: { NODE_OPTIONS: `--import ${join(desk.path, "register.mjs")}` } });
    return readFileSync(log, "utf8").trim().split("\n");
  }

  it.each([["--help"], ["--version"]])("%s loads commander and little else", async (flag) => {
    const modules = await modulesLoadedBy([flag]);
    const own = modules.filter((url) => /\/packages\/vouch\/dist\/bundle\//.test(url));
    expect(own.length).toBeGreaterThan(2);
    const outside = modules.filter((url) => /node_modules|\/packages\/(?!vouch\/)/.test(url));
    expect(outside).toEqual([]);
    const sources = own.map((url) => readFileSync(fileURLToPath(url), "utf8"));
    // The schemas of zod are most of what other commands load.
    expect(sources.filter((source) => source.includes("ZodType"))).toEqual([]);
    expect(sources.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(250_000);
  });

  it("shows --help within 200 ms, or on a busy machine within five starts of Node", { retry: 3 }, () => {
    const milliseconds = (args: readonly string[]) => {
      const began = performance.now();
      expect(spawnSync(process.execPath, args).status).toBe(0);
      return performance.now() - began;
    };
    const times = Array.from({ length: 5 }, () => [milliseconds(["-e", "0"]), milliseconds([bin, "--help"])]);
    const [node, vouch] = [0, 1].map((which) => Math.min(...times.map((pair) => pair[which])));
    expect(vouch).toBeLessThan(Math.max(200, 5 * node));
  });

  it("reading CSV does not load DuckDB", async () => {
    const modules = await modulesLoadedBy(["train", "iris", "--learner", "majority", "--out", "iris.st"]);
    expect(modules.some((url) => url.includes("/bundle/chunks/read-csv-"))).toBe(true);
    expect(modules.filter((url) => url.includes("@duckdb"))).toEqual([]);
  });
});

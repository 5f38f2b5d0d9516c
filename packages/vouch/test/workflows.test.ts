import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { validateWorkflow } from "@action-validator/core";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string) => readFileSync(root + path, "utf8");
const folder = ".github/workflows";
const paths = readdirSync(root + folder).map((name) => `${folder}/${name}`);

interface Workflow {
  readonly permissions?: Record<string, string>;
  readonly jobs: Record<
    string,
    {
      readonly "timeout-minutes"?: number;
      readonly steps: { readonly uses?: string; readonly run?: string }[];
    }
  >;
}

/** What a workflow of this project must not have: other things than GitHub knows, and actions that someone else can change. */
function problems(text: string): string[] {
  const invalid = validateWorkflow(text).errors.map(({ title, detail }) => detail ?? title);
  const loose = text
    .split("\n")
    .filter(
      (line) => /\buses:/.test(line) && !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line),
    );
  return [...invalid, ...loose.map((line) => `${line.trim()} is not pinned to a commit`)];
}

describe("the workflows", () => {
  it.each(paths)("%s is valid, pins its actions, and limits its rights and its time", (path) => {
    expect(problems(read(path))).toEqual([]);
    const { permissions, jobs } = parse(read(path)) as Workflow;
    expect(permissions).toEqual({ contents: "read" });
    for (const [name, job] of Object.entries(jobs)) expect(job["timeout-minutes"], name).toBeGreaterThan(0);
  });

  it.each(paths)("%s runs scripts that exist", (path) => {
    const { jobs } = parse(read(path)) as Workflow;
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const { scripts } = JSON.parse(read("package.json"));
    const missing = commands.filter((command) => {
      const [, name] = command.match(/npm run ([\w:]+)(?!.* --if-present)/) ?? [];
      const [, file] = command.match(/^(?:node|bash) ([\w./-]+)/) ?? [];
      return (
        (name !== undefined && !Object.hasOwn(scripts, name)) ||
        (file !== undefined && !existsSync(root + file))
      );
    });
    expect(missing).toEqual([]);
  });

  it("would be refused with a misspelt key, a missing job, or an action at a tag", () => {
    const workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n";
    expect(problems(workflow)).toEqual([]);
    expect(problems(workflow.replace("steps", "step"))).not.toEqual([]);
    expect(problems(workflow.replace("    steps", "    needs: b\n    steps"))).toEqual(["unresolved job b"]);
    expect(problems(workflow.replace("run: npm test", "uses: actions/checkout@v6"))).toEqual([
      "- uses: actions/checkout@v6 is not pinned to a commit",
    ]);
  });
});

describe("what GitHub shows", () => {
  it.each(["bug", "feature", "question"])("the form for a %s has a name and a required field", (name) => {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`));
    expect(Object.keys(form)).toEqual(["name", "description", "labels", "body"]);
    expect(
      form.body.some((field: { validations?: { required: boolean } }) => field.validations?.required),
    ).toBe(true);
  });

  it("the citation names the version of the packages", () => {
    const { version } = JSON.parse(read("packages/vouch/package.json"));
    expect(parse(read("CITATION.cff"))).toMatchObject({ "cff-version": "1.2.0", title: "vouch", version });
  });
});

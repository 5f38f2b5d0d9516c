import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "@vouch/datasets";
import { beforeAll, describe, expect, it } from "vitest";
import { learnerNames as allNames } from "vouch";
import { bin, Desk } from "../vouch.js";

const desk = new Desk();

/** The command as shells find it: by its name, on the PATH. */
const env = { PATH: `${join(desk.path, "bin")}:${process.env.PATH}` };

beforeAll(() => {
  mkdirSync(join(desk.path, "bin"));
  symlinkSync(bin, join(desk.path, "bin", "vouch"));
  desk.file("flowers.csv", "a,label\n1,x\n2,y\n");
});

/** The completions of a line: words in order, and whether files are possible, too. */
async function after(line: string): Promise<{ words: string[]; files: boolean }> {
  const printed = await desk.print(["__complete", "--", ...line.split(" ").slice(1)]);
  const words = printed
    .split("\n")
    .slice(0, -1)
    .map((text) => text.split("\t")[0]);
  return { words: words.filter((word) => word !== ":files"), files: words.includes(":files") };
}

const learnerNames = allNames();
const datasetNames = catalogue.map(({ name }) => name);

describe("completion", () => {
  it("knows commands, but none that is hidden", async () => {
    const { words } = await after("vouch ");
    expect(words).toEqual(expect.arrayContaining(["train", "predict", "completion", "help"]));
    expect(words.filter((word) => word.startsWith("_"))).toEqual([]);
    expect((await after("vouch pr")).words).toEqual(["predict"]);
    expect((await after("vouch --v")).words).toEqual(["--version"]);
    expect(await after("vouch nothing ")).toEqual({ words: [], files: false });
  });

  it("knows the flags of a command", async () => {
    expect((await after("vouch train iris --ta")).words).toEqual(["--target"]);
    expect((await after("vouch predict --s")).words.toSorted()).toEqual([
      "--safe-csv",
      "--scores",
      "--sheet",
      "--skip",
      "--strict",
    ]);
    expect((await after("vouch train --h")).words).toEqual(["--header-row", "--holdout", "--host", "--help"]);
  });

  it("knows learners, and their options with values where these are words", async () => {
    expect((await after("vouch train iris --learner ")).words).toEqual(learnerNames);
    expect((await after("vouch train iris -l ada")).words).toEqual(["adaboost"]);
    expect((await after("vouch train iris --learner=ada")).words).toEqual(["--learner=adaboost"]);
    expect((await after("vouch train iris -l svm -s ker")).words).toEqual(["kernel="]);
    expect((await after("vouch train iris -l svm --set kernel=po")).words).toEqual(["kernel=polynomial"]);
    expect((await after("vouch select iris -l svm -l adaboost --grid r")).words).toEqual(["rounds="]);
    expect((await after("vouch train iris --set r")).words).toEqual([]);
    expect((await after("vouch train iris -l one-vs-one -s base=ad")).words).toEqual(["base=adaboost"]);
    expect((await after("vouch train iris -l one-vs-one -s base.ke")).words).toEqual(["base.kernel="]);
    const based = "vouch train iris -l one-vs-one -s base=adaboost -s";
    expect((await after(`${based} base.r`)).words).toEqual(["base.rounds="]);
    expect((await after("vouch compare iris --learners svm,ad")).words).toEqual(["svm,adaboost"]);
    const compared = "vouch compare iris --learners svm,adaboost --set";
    expect((await after(`${compared} adaboost.r`)).words).toEqual(["adaboost.rounds="]);
    expect((await after(`${compared} svm.kernel=r`)).words).toEqual(["svm.kernel=rbf"]);
    expect((await after("vouch help dee")).words).toEqual([
      "deep-cascade",
      "deep-cascade-perceptron",
      "deep-cascade-svm",
    ]);
  });

  it("knows data sets, and leaves files to the shell where there can be one", async () => {
    expect(await after("vouch train ")).toEqual({ words: datasetNames, files: true });
    expect(await after("vouch train --target label ir")).toEqual({ words: ["iris"], files: true });
    expect(await after("vouch train iris --test ir")).toEqual({ words: ["iris"], files: true });
    expect(await after("vouch evaluate model.st ir")).toEqual({ words: ["iris"], files: true });
    expect(await after("vouch evaluate ir")).toEqual({ words: [], files: true });
    expect(await after("vouch train iris --out ")).toEqual({ words: [], files: true });
    expect(await after("vouch train iris more")).toEqual({ words: [], files: false });
    expect(await after("vouch datasets get ir")).toEqual({ words: ["iris"], files: false });
    expect(await after("vouch train iris --seed ")).toEqual({ words: [], files: false });
  });

  it("knows criteria and parts of reports in a list, and shells", async () => {
    expect((await after("vouch select iris --by s")).words).toEqual(["srm"]);
    expect((await after("vouch select iris --by srm,cv,h")).words).toEqual(["srm,cv,holdout"]);
    expect((await after("vouch select iris --by cv,c")).words).toEqual([]);
    expect((await after("vouch train iris --report-without rows,")).words).toEqual(["rows,model"]);
    expect((await after("vouch completion ")).words).toEqual(["bash", "zsh", "fish"]);
  });

  it("is told to the shells in lines, with descriptions after a tab", async () => {
    const lines = (await desk.print(["__complete", "--", "train", "iri"])).split("\n");
    expect(lines).toEqual(["iris\tIris", ":files", ""]);
  });

  it("asks for a shell that it knows", async () => {
    expect(await desk.fault(2, ["completion", "csh"])).toContain("Allowed choices are bash, zsh, fish.");
    expect(await desk.fault(2, ["completion"])).toContain("Missing required argument 'SHELL'");
  });
});

/** Lines, and what one press of the tab key makes of their last word. */
const lines = [
  ["vouch tr", "train"],
  ["vouch train flow", "flowers.csv"],
  ["vouch train iris --learner=adab", "--learner=adaboost"],
  ["vouch train iris -l svm --set ker", "kernel="],
  ["vouch train iris -l svm --set kernel=r", "kernel=rbf"],
  ["vouch train iris --report=flow", "--report=flowers.csv"],
] as const;

const isHere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

describe.skipIf(!isHere("bash"))("in bash", () => {
  it("completes what follows the last equals sign or space", async () => {
    const ask = lines.map(([line]) => `ask '${line}'\n`).join("");
    const script = `source <(vouch completion bash)
compopt() { :; }
ask() { COMP_LINE=$1 COMP_POINT=\${#1}; _vouch; echo "\${COMPREPLY[*]}"; }
${ask}`;
    const replies = (await desk.print([], { program: ["bash", "-c", script], env })).trimEnd().split("\n");
    expect(replies).toEqual(lines.map(([, word]) => word.replace(/^[^=]*=(?=.)/, "")));
  });
});

describe.skipIf(!isHere("fish"))("in fish", () => {
  it("completes the last word", async () => {
    const ask = lines.map(([line]) => `complete -C '${line}'\n`).join("");
    const program = ["fish", "--no-config", "-c", `vouch completion fish | source\n${ask}`];
    const replies = (await desk.print([], { program, env })).trimEnd().split("\n");
    expect(replies.map((reply) => reply.split("\t")[0])).toEqual(lines.map(([, word]) => word));
  });
});

describe.skipIf(!isHere("zsh"))("in zsh", () => {
  it("completes the last word, as typed on a terminal", async () => {
    // Waits for the completed word on the terminal's screen, and thus for ever where it does not come.
    const ask = lines.map(
      ([line, word]) =>
        `zpty -w -n z '${line}'$'\\t'; zpty -r z screen '*${word.slice(-4)}*'; echo '${word}'; zpty -w -n z $'\\x15'\n`,
    );
    const script = `zmodload zsh/zpty
zpty z 'zsh -f -i'
zpty -w z 'PS1=; autoload -U compinit; compinit -u -D; source <(vouch completion zsh); echo REA''DY'
zpty -r z screen '*READY*'
${ask.join("")}`;
    const program = ["zsh", "-f", "-c", script];
    const replies = (await desk.print([], { program, env, timeout: 45_000 })).trimEnd().split("\n");
    expect(replies).toEqual(lines.map(([, word]) => word));
  });
});

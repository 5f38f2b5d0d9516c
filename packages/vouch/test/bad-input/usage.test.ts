import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

describe.concurrent("wrong usage", () => {
  it.each([
    [["trian", "iris"], "Unknown command 'trian'. (Did you mean train?)"],
    [["train"], "Missing required argument 'DATA'. Try 'vouch train --help'."],
    [["train", "iris", "ionosphere"], "error: Too many arguments"],
    [["train", "iris", "--tagret", "x"], "Unknown option '--tagret'. (Did you mean --target?)"],
    [["train", "iris", "--learner"], "Option '-l, --learner <name>' argument missing."],
    [["train", "iris", "--learner", "adaboots"], 'Unknown learner "adaboots". Did you mean "adaboost"?'],
    [["train", "irsi"], 'Unknown data set "irsi".'],
    [["train", "irsi"], 'Did you mean "iris"?'],
    [["train", "iris.test"], 'Data set "iris" has no official split'],
    [["train", "iris", "--threads", "0"], "--threads must be a whole number from 1 to 1024, not 0."],
    [["train", "iris", "--threads", "two"], '--threads must be a whole number from 1 to 1024, not "two".'],
    [["train", "iris", "--holdout", "2"], "--holdout must be between 0 and 1, not 2. For example 0.2"],
    [["train", "iris", "--holdout", "0"], "--holdout must be between 0 and 1, not 0."],
    [["train", "iris", "--confidence", "95"], "--confidence must be between 0 and 1, not 95."],
    [["train", "iris", "--folds", "1"], "--folds must be a whole number ≥ 2, not 1."],
    [["train", "iris", "--seed", "-1"], "--seed must be a whole number ≥ 0, not -1."],
    [["train", "iris", "--seed", "1.5"], "--seed must be a whole number ≥ 0, not 1.5."],
    [["train", "iris", "--test", "iris", "--folds", "5"], "Use only one of --test, --holdout and --folds"],
    [["train", "-", "--test", "-"], "DATA and --test cannot both be standard input."],
    [["train", "iris", "--format", "xls"], 'not "xls". Did you mean "xlsx"?'],
    [["train", "iris", "--format", "cvs"], 'Did you mean "csv"?'],
    [["train", "iris", "--out", ""], "--out must be the path of a file, not empty."],
    [["train", "iris", "--out", "-"], "--out must be the path of a file, not standard output (-)."],
    [
      ["train", "iris", "--out", "a.st", "--report", "./a.st"],
      "--out and --report must be two files, but both are ./a.st.",
    ],
    [["train", "iris", "--report-without", "rows"], "--report-without needs --report."],
    [
      ["train", "iris", "--report-without", "rows,cells"],
      "--report-without must be model, rows or both, as in rows,model, not",
    ],
    [["compare", "iris", "--learners", "stump,svm", "--set", "smv.C=1"], 'Did you mean "svm"?'],
    [["train", "iris", "--set", "rounds=5"], "--set needs --learner."],
    [["train", "iris", "-l", "adaboost", "--set", "rounds=-1"], "adaboost: rounds must be a whole number"],
    [["train", "iris", "-l", "adaboost", "--set", "rounds=many"], 'not "many".'],
    [["train", "iris", "-l", "adaboost", "--set", "rounds"], "rounds"],
    [
      ["train", "iris", "-l", "adaboost", "--set", "round=5"],
      'adaboost has no option round. Did you mean "rounds"?',
    ],
    [["train", "iris", "--learner", "LogisticRegression"], 'Did you mean "logistic"?'],
    [["train", "iris", "--metric", "roc_auc"], 'Did you mean "auc"?'],
    [["train", "iris", "--metric", "accuracy"], 'Did you mean "error"?'],
    [["train", "iris", "-l", "forest", "-s", "n_estimators=9"], 'Did you mean "trees"?'],
    [["train", "iris", "-l", "boosted-trees", "-s", "n_estimators=9"], 'Did you mean "rounds"?'],
    [["train", "iris", "-l", "mlp", "-s", "hidden_layer_sizes=9"], 'Did you mean "layers"?'],
    [["datasets", "fetch", "iris"], "Did you mean 'vouch datasets get iris'?"],
    [["datasets", "get"], "Use 'vouch datasets list' or 'vouch datasets get NAME'."],
    [["datasets", "iris"], "Did you mean 'vouch datasets get iris'?"],
    [["datasets", "get", "mnits"], 'Did you mean "mnist"?'],
    [["certify", "model", "--confidence", "1"], "--confidence must be between 0 and 1, not 1."],
  ])("vouch %j", async (args, message) => {
    expect(await desk.fault(2, args)).toContain(message);
  });
});

describe.concurrent("places to write to, found wanting before any work", () => {
  it("a folder that does not exist", async () => {
    for (const option of ["--out", "--report"]) {
      const error = await desk.fault(1, ["train", "iris", option, "nowhere/file"]);
      expect(error).toContain("Cannot write nowhere/file: there is no folder nowhere.");
    }
    for (const args of [
      ["predict", "no-model", "iris", "--out", "nowhere/file"],
      ["select", "iris", "--learner", "stump", "--out", "nowhere/file"],
      ["compare", "iris", "--report", "nowhere/file"],
    ]) {
      expect(await desk.fault(1, args)).toContain("there is no folder nowhere.");
    }
  });

  it("a folder in place of a file", async () => {
    mkdirSync(join(desk.path, "models"));
    const error = await desk.fault(1, ["train", "iris", "--out", "models"]);
    expect(error).toContain("--out must be the path of a file, but models is a directory.");
  });

  it("the file that is read", async () => {
    const contents = flowersCsv(40);
    desk.file("precious.csv", contents);
    const error = await desk.fault(2, ["train", "precious.csv", "--out", "./precious.csv"]);
    expect(error).toContain("--out must differ from the inputs, but ./precious.csv is one of them.");
    expect(readFileSync(join(desk.path, "precious.csv"), "utf8")).toBe(contents);
    await desk.print(["train", "precious.csv", "-l", "stump", "--out", "used.st"]);
    const used = desk.bytes("used.st");
    await desk.fault(2, ["predict", "used.st", "precious.csv", "--out", "used.st"]);
    expect(desk.bytes("used.st").equals(used)).toBe(true);
  });
});

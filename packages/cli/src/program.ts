import { Argument, Command, Option } from "commander";
import { VouchError } from "vouch/errors";
import { budget } from "./budget.js";
import type { AskedLearner } from "./candidates.js";
import type { DatasetsFlags } from "./commands/datasets.js";
import { COMPLETE, SHELLS, type Shell } from "./completion-scripts.js";
import { ABOUT_DATA, examples, generalExamples } from "./examples.js";
import { addExamples, helpLayout } from "./help-layout.js";
import { hasColour, type Terminal, width } from "./terminal.js";
import { version } from "./version.js";

/** Flags that say how to read DATA. */
export interface ReadingFlags {
  readonly format?: string;
  readonly delimiter?: string;
  readonly decimalComma?: boolean;
  /** False for `--no-header`; otherwise the header is there, and the reader says so if it does not look like one. */
  readonly header: boolean;
  readonly categorical?: string[];
  readonly numeric?: string[];
  readonly ignore?: string[];
}

/** Flags of commands that print a result. */
export interface PrintingFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * The command line: every command with its arguments, flags and examples. A command's own module is loaded
 * when it runs, so that `vouch --help` starts at once.
 */
export function program(terminal: Terminal): Command {
  const vouch = new Command("vouch")
    .description("Train classifiers that vouch for themselves: a model, its error, and a guarantee.")
    .version(version, "-V, --version", "print the version")
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError("Try 'vouch --help'.")
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      getOutHasColors: () => hasColour(terminal.out),
      getErrHasColors: () => hasColour(terminal.err),
      getOutHelpWidth: () => width(terminal.out),
      getErrHelpWidth: () => width(terminal.err),
    })
    .configureHelp(helpLayout);
  addTrain(vouch, terminal);
  addPredict(vouch, terminal);
  addEvaluate(vouch, terminal);
  addCertify(vouch, terminal);
  addSelect(vouch, terminal);
  addCompare(vouch, terminal);
  addInspect(vouch, terminal);
  addExport(vouch, terminal);
  addImport(vouch, terminal);
  addDatasets(vouch, terminal);
  addExperiment(vouch, terminal);
  addHelp(vouch, terminal);
  addCompletion(vouch, terminal);
  addExamples(vouch, generalExamples, terminal, ABOUT_DATA);
  for (const command of vouch.commands) {
    command.showHelpAfterError(`Try 'vouch ${command.name()} --help'.`);
    addExamples(command, examples[command.name()] ?? [], terminal);
  }
  return vouch;
}

function addTrain(vouch: Command, terminal: Terminal): void {
  const train = vouch
    .command("train")
    .summary("train a classifier, measure and certify its error, save it")
    .description(
      "Trains a classifier on DATA, measures its error on rows kept apart, certifies it and saves it.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "column with the class (default: 'label', else the last column)")
    .option("-l, --learner <name>", "learner; without it the best one is looked for within the budget")
    .option("-s, --set <name=value>", "an option of the learner; may be repeated", collect)
    .option("--budget <time>", "time to look for the best learner and to train it (default: 60s)", budget)
    .option("--unlabelled <DATA>", "further rows to pre-train on; their classes are not looked at")
    .option("--test <DATA>", "measure the error on these rows")
    .option(
      "--holdout <fraction>",
      "measure the error on this share of the rows (default: 0.2, at most 100,000 rows)",
      fraction("holdout"),
    )
    .option("--folds <k>", "measure the error by k-fold cross-validation", wholeNumber("folds", 2))
    .option("--rows <n>", "train on at most so many rows, drawn class by class", wholeNumber("rows", 2))
    .option("-o, --out <file>", "where to save the model", "model.safetensors")
    .option("--report <file>", "write a report as one HTML page")
    .option(
      "--confidence <level>",
      "probability with which the certificates hold",
      fraction("confidence"),
      0.95,
    )
    .option("--seed <n>", "seed of all randomness", wholeNumber("seed", 0), 1)
    .addOption(threads());
  withReading(withPrinting(train)).action(async (data: string, flags) => {
    const { train } = await import("./commands/train.js");
    await train(data, flags, terminal);
  });
}

function addPredict(vouch: Command, terminal: Terminal): void {
  const predict = vouch
    .command("predict")
    .summary("predict the class of new rows")
    .description("Predicts the class of every row of DATA and writes CSV with a column 'prediction'.")
    .argument("<MODEL>", "model file")
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-o, --out <file>", "where to write the predictions (default: standard output)")
    .option("--scores", "also write the score of each class, in columns 'score:CLASS'")
    .option("--keep <columns>", "also write these columns of DATA, such as an id; separated by commas", list);
  withReading(withPrinting(predict)).action(async (model: string, data: string, flags) => {
    const { predict } = await import("./commands/predict.js");
    await predict(model, data, flags, terminal);
  });
}

function addEvaluate(vouch: Command, terminal: Terminal): void {
  const evaluate = vouch
    .command("evaluate")
    .summary("measure a model's error on labelled rows")
    .description(
      "Predicts the rows of DATA and compares with their labels: error, other measures, confusion.",
    )
    .argument("<MODEL>", "model file")
    .argument("<DATA>", "data file, '-' or data set name");
  withReading(withPrinting(evaluate)).action(async (model: string, data: string, flags) => {
    const { evaluate } = await import("./commands/evaluate.js");
    await evaluate(model, data, flags, terminal);
  });
}

function addCertify(vouch: Command, terminal: Terminal): void {
  const certify = vouch
    .command("certify")
    .summary("bound the error on new data, with every term and premise")
    .description(
      "Shows every certificate that applies to MODEL. With DATA (labelled rows that took no part in training) the certificates come from those rows. In JSON, null stands for a bound of infinity, which says nothing.",
    )
    .argument("<MODEL>", "model file")
    .argument("[DATA]", "held-out data file, '-' or data set name")
    .option(
      "--confidence <level>",
      "probability with which the certificates hold",
      fraction("confidence"),
      0.95,
    );
  withReading(withPrinting(certify)).action(async (model: string, data: string | undefined, flags) => {
    const { certify } = await import("./commands/certify.js");
    await certify(model, data, flags, terminal);
  });
}

function addSelect(vouch: Command, terminal: Terminal): void {
  const asked: AskedLearner[] = [];
  const select = vouch
    .command("select")
    .summary("compare candidates under several criteria and choose one")
    .description(
      "Ranks candidates (learners with their options) by one or several criteria and says where these disagree. The first criterion chooses.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "column with the class (default: 'label', else the last column)")
    .option("-l, --learner <name>", "a learner to consider; may be repeated", askLearner(asked))
    .option(
      "-g, --grid <name=values...>",
      "values of an option of the learner named before, separated by commas; every combination is a candidate. Values that are lists are separated by ';'",
      askGrid(asked),
    )
    .option("--by <criteria>", CRITERIA_HELP, list)
    .option("--folds <k>", "folds of cv", wholeNumber("folds", 2), 10)
    .option(
      "--holdout <fraction>",
      "share of the rows held out by holdout and adjusted-srm",
      fraction("holdout"),
      0.2,
    )
    .option(
      "--confidence <level>",
      "probability with which the bounds of srm and margin hold",
      fraction("confidence"),
      0.95,
    )
    .option("-o, --out <file>", "train the chosen candidate on all rows and save it here")
    .option("--seed <n>", "seed of all randomness", wholeNumber("seed", 0), 1)
    .addOption(threads());
  withReading(withPrinting(select)).action(async (data: string, flags) => {
    const { select } = await import("./commands/select.js");
    await select(data, flags, terminal);
  });
}

const CRITERIA_HELP =
  "criteria, separated by commas: cv, holdout, leave-one-out, srm, adjusted-srm, margin, aic, bic, reconstruction (default: cv)";

/** Notes a learner, to which the grids that follow belong. */
function askLearner(asked: AskedLearner[]): (name: string) => readonly AskedLearner[] {
  return (name) => {
    asked.push({ learner: name, grid: [] });
    return asked;
  };
}

/** Notes a setting for the learner that was named last. */
function askGrid(asked: AskedLearner[]): (setting: string) => readonly AskedLearner[] {
  return (setting) => {
    const last = asked.pop();
    if (!last) {
      throw new VouchError("option/invalid", `--grid ${setting} comes before any learner.`, {
        hint: "Name the learner that the grid belongs to first, with --learner.",
      });
    }
    asked.push({ ...last, grid: [...last.grid, setting] });
    return asked;
  };
}

function addCompare(vouch: Command, terminal: Terminal): void {
  const compare = vouch
    .command("compare")
    .summary("learners side by side: error, time, size, certificates")
    .description(
      "Compares learners on the same folds: errors with paired tests against the best, time to train and to predict, size, and certificates from held-out rows that hold together.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "column with the class (default: 'label', else the last column)")
    .option("--learners <names>", "learners, separated by commas (default: one of each fast kind)", list)
    .option("-s, --set <learner.name=value>", "an option of one of them; may be repeated", collect)
    .option("--folds <k>", "folds of the cross-validation", wholeNumber("folds", 2), 5)
    .option(
      "--holdout <fraction>",
      "share of the rows that certificates come from (default: the official test rows, else 0.2)",
      fraction("holdout"),
    )
    .option("--budget <time>", "leave out learners that take more than their part of this", budget)
    .option("--report <file>", "write a report as one HTML page")
    .option(
      "--confidence <level>",
      "probability with which all certificates hold together",
      fraction("confidence"),
      0.95,
    )
    .option("--seed <n>", "seed of all randomness", wholeNumber("seed", 0), 1)
    .addOption(threads());
  withReading(withPrinting(compare)).action(async (data: string, flags) => {
    const { compare } = await import("./commands/compare.js");
    await compare(data, flags, terminal);
  });
}

function addInspect(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("inspect")
      .summary("show what a model is made of")
      .description("Shows a model's learner, options, training data, error, structure and encoder.")
      .argument("<MODEL>", "model file"),
  ).action(async (model: string, flags) => {
    const { inspect } = await import("./commands/inspect.js");
    await inspect(model, flags, terminal);
  });
}

function addExport(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("export")
      .summary("write a model in the format of another program")
      .description(
        "Writes an svm model as a LIBSVM model file. That takes encoded features: --data and --data-out write rows as svm-predict takes them.",
      )
      .argument("<MODEL>", "model file")
      .addOption(modelFormat())
      .requiredOption("-o, --out <file>", "where to write the model")
      .option("--data <DATA>", "rows to encode for the exported model")
      .option("--data-out <file>", "where to write the encoded rows"),
  ).action(async (model: string, flags) => {
    const { exportModel } = await import("./commands/export.js");
    await exportModel(model, flags, terminal);
  });
}

function addImport(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("import")
      .summary("read a model of another program")
      .description(
        "Turns a LIBSVM model file into a model of vouch, which takes the columns f1, f2, … of LIBSVM data files.",
      )
      .argument("<FILE>", "model file of the other program")
      .addOption(modelFormat())
      .requiredOption("-o, --out <file>", "where to save the model")
      .option(
        "--features <n>",
        "how many features it was trained on (default: the largest index in it)",
        wholeNumber("features", 1, 2_000_000),
      ),
  ).action(async (file: string, flags) => {
    const { importModel } = await import("./commands/import.js");
    await importModel(file, flags, terminal);
  });
}

function addDatasets(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("datasets")
      .summary("list the catalogued data sets, or get one")
      .description(
        "Lists the catalogued data sets; 'get' downloads one from its public source into the cache.",
      )
      .argument("[action]", "list or get", "list")
      .argument("[name]", "data set to get"),
  ).action(async (action: string, name: string | undefined, flags: DatasetsFlags) => {
    const { datasets } = await import("./commands/datasets.js");
    await datasets(action, name, flags, terminal);
  });
}

function addExperiment(vouch: Command, terminal: Terminal): void {
  const experiment = vouch
    .command("experiment")
    .summary("list the experiments of the papers, or run one")
    .description("Lists the experiments, or computes a table or figure of a paper and prints it as Markdown.")
    .argument("[NAME]", "experiment to run, or list", "list")
    .addOption(
      new Option("--scale <scale>", "how much to compute").choices(["quick", "paper"]).default("quick"),
    )
    .option("-o, --out <file>", "where to write the result (default: standard output)")
    .option(
      "--resume <file>",
      "keep finished parts of a long experiment here, and go on from those that it has",
    )
    .option("--seed <n>", "seed of all randomness", wholeNumber("seed", 0), 1)
    .addOption(threads());
  withPrinting(experiment).action(async (name: string, flags) => {
    const { experiment } = await import("./commands/experiment.js");
    await experiment(name, flags, terminal);
  });
}

function addHelp(vouch: Command, terminal: Terminal): void {
  vouch
    .command("help")
    .summary("explain a command or a learner")
    .description("Explains a command, or a learner with all its options.")
    .argument("[topic]", "command or learner")
    .action(async (topic: string | undefined) => {
      const { help } = await import("./commands/help.js");
      help(topic, vouch, terminal);
    });
}

function addCompletion(vouch: Command, terminal: Terminal): void {
  vouch
    .command("completion")
    .summary("print what lets a shell complete commands, flags and names")
    .description(
      "Prints a script for bash, zsh or fish that completes commands, flags, learners, their options, and data sets.",
    )
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completion } = await import("./commands/completion.js");
      completion(shell, terminal);
    });
  vouch
    .command(COMPLETE, { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { complete } = await import("./commands/completion.js");
      await complete(vouch, words, terminal);
    });
}

function withReading(command: Command): Command {
  return command
    .option("--categorical <columns>", "columns to read as categories, separated by commas", list)
    .option("--numeric <columns>", "columns to read as numbers, separated by commas", list)
    .option("--ignore <columns>", "columns to leave out, separated by commas", list)
    .option("--format <name>", "format of DATA, where its name does not tell")
    .option("--delimiter <character>", "what separates cells in a csv file (default: found out)", delimiter)
    .option("--decimal-comma", "numbers in a csv file have a comma in place of the point: 0,5")
    .option("--no-header", "the file has no header line; columns are called column1, column2, …");
}

function withPrinting(command: Command): Command {
  return command
    .option("--json", "print one JSON document on standard output and nothing else")
    .option("-q, --quiet", "no progress and no notices");
}

function modelFormat(): Option {
  return new Option("--format <name>", "format of the other program")
    .choices(["libsvm"])
    .makeOptionMandatory();
}

function threads(): Option {
  return new Option("--threads <n>", "threads to use; the result does not depend on it").argParser(
    wholeNumber("threads", 1, 1024),
  );
}

/** A tab is hard to type in most shells: its names stand for it. */
function delimiter(text: string): string {
  return text === "\\t" || text === "tab" ? "\t" : text;
}

function collect(setting: string, settings: string[] = []): string[] {
  return [...settings, setting];
}

function list(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(",").filter((name) => name !== "")];
}

function fraction(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && value > 0 && value < 1) return value;
    throw new VouchError("option/invalid", `--${name} is "${text}".`, {
      hint: "It must be a number between 0 and 1: 0.2 for a fifth, 0.95 for 95 %.",
    });
  };
}

function wholeNumber(name: string, least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `from ${least} to ${most}`;
    throw new VouchError("option/invalid", `--${name} is "${text}".`, {
      hint: `It must be a whole number ${range}.`,
    });
  };
}

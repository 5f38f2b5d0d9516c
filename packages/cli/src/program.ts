import { readFileSync } from "node:fs";
import { Argument, Command, Option } from "commander";
import { limitMemory } from "vouch/errors";
import { ABOUT_DATA, examples, generalExamples } from "./examples.js";
import {
  addLearner,
  addToGrid,
  collect,
  commaList,
  duration,
  fraction,
  type LearnerGrid,
  type PrintingFlags,
  processShare,
  reportParts,
  SHELLS,
  type Shell,
  share,
  wholeNumber,
} from "./flags.js";
import { addExamples, helpLayout } from "./help-layout.js";
import {
  groupOption,
  memoryOption,
  modelFormatOption,
  threadsOption,
  timeOption,
  withLearning,
  withObjective,
  withPrinting,
  withReading,
  withStrict,
} from "./shared-options.js";
import { COMPLETE } from "./short-commands.js";
import { hasColour, type Terminal, width, writeText } from "./terminal.js";

/** Defines the command line. The module of a command is loaded when it runs. */
export function program(terminal: Terminal): Command {
  const vouch = new Command("vouch")
    .description("Train classifiers that vouch for themselves: a model, its error, and a guarantee.")
    .version(version(), "-V, --version", "print the version")
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError("Try 'vouch --help'.")
    .configureOutput({
      // Help is written as it is; only errors repeat arguments.
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: (text) => writeText(terminal.err, text),
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
  addStudio(vouch, terminal);
  addSign(vouch, terminal);
  addVerify(vouch, terminal);
  addDatasets(vouch, terminal);
  addExperiment(vouch, terminal);
  addHelp(vouch, terminal);
  addCompletion(vouch, terminal);
  vouch.hook("preAction", (_, command) => limitMemory(command.opts<{ memory?: number }>().memory));
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
    .summary("train a classifier, measure and certify its error")
    .description(
      "Trains a classifier on DATA, measures its error on held-out rows, certifies it and saves it.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "target column (default: 'label', or the last column)")
    .option("-l, --learner <name>", "learner (default: the best one found within the budget)")
    .option("-s, --set <name=value>", "set an option of the learner; repeatable", collect)
    .option(
      "--budget <time>",
      "time for finding and training the best learner (default: 60s)",
      duration("budget"),
    )
    .option("--single", "choose a single model, not an ensemble")
    .option("--record <file>", "also write what the search for the best learner has tried")
    .option("--replay <file>", "repeat the search of a --record, without a time limit")
    .option("--like <MODEL>", "train with the learner, the options and the seed of this model file")
    .option(
      "--abstain <share>",
      "answer only where the error of the answers can be kept at or below this, such as 2%",
      share("abstain"),
    )
    .option(
      "--sets <share>",
      "also make sets of classes that have the right one with this probability, such as 95%",
      share("sets"),
    )
    .addOption(
      new Option("--sets-by <what>", "keep the coverage of --sets on average or in every class").choices([
        "all",
        "class",
      ]),
    )
    .option("--no-calibrate", "do not calibrate the probabilities, which may take further fits")
    .option("--unlabelled <DATA>", "more rows for pre-training; their classes are ignored")
    .option("--test <DATA>", "measure the error on these rows")
    .option(
      "--holdout <fraction>",
      "measure the error on this fraction of the rows (default: 0.2, at most 100,000 rows)",
      fraction("holdout"),
    )
    .option("--stratify", "hold out the same share of each class; certificates then assume these shares")
    .option("--folds <k>", "measure the error by k-fold cross-validation", wholeNumber("folds", 2))
    .addOption(groupOption())
    .addOption(timeOption())
    .option("--rows <n>", "train on a stratified subsample of at most this many rows", wholeNumber("rows", 2))
    .option(
      "--chosen-among <k>",
      "these rows chose --learner among k candidates before; training certificates take this into account",
      wholeNumber("chosen-among", 1),
    )
    .option("-o, --out <file>", "model file to write", "model.safetensors")
    .option("--report <file>", "also write an HTML report")
    .option(
      "--report-without <parts>",
      "leave the model out of the report ('model'), or all rows and the model ('rows')",
      reportParts,
    )
    .option("--confidence <level>", "confidence of the certificates", fraction("confidence"), 0.95)
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption());
  withObjective(withLearning(withPrinting(train))).action(async (data: string, flags) => {
    const { train } = await import("./commands/train.js");
    await train(data, flags, terminal);
  });
}

function addPredict(vouch: Command, terminal: Terminal): void {
  const predict = vouch
    .command("predict")
    .summary("predict the class of new rows")
    .description(
      "Predicts the class of every row of DATA and writes a CSV file with the column 'prediction'.",
    )
    .argument("<MODEL>", "model file")
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-o, --out <file>", "file to write (default: standard output)")
    .option("--probabilities", "also write the probability of each class, in columns 'probability:CLASS'")
    .option("--threshold <class=p>", "predict this class if its probability is at least p")
    .option(
      "--reasons <n>",
      "also write the n columns that matter most for each row",
      wholeNumber("reasons", 1, 1000),
    )
    .option("--scores", "also write the model's own scores, in columns 'score:CLASS'")
    .option("--keep <columns>", "also copy these columns of DATA, separated by commas", commaList)
    .option("--safe-csv", "write ' before texts that a spreadsheet would run as a formula")
    .addOption(threadsOption());
  withReading(withPrinting(withStrict(predict))).action(async (model: string, data: string, flags) => {
    const { predict } = await import("./commands/predict.js");
    await predict(model, data, flags, terminal);
  });
}

function addEvaluate(vouch: Command, terminal: Terminal): void {
  const evaluate = vouch
    .command("evaluate")
    .summary("measure a model's error on labelled rows")
    .description("Predicts the rows of DATA and prints error, other measures and the confusion matrix.")
    .argument("<MODEL>", "model file")
    .argument("<DATA>", "data file, '-' or data set name");
  withReading(withPrinting(withStrict(evaluate))).action(async (model: string, data: string, flags) => {
    const { evaluateCommand } = await import("./commands/evaluate.js");
    await evaluateCommand(model, data, flags, terminal);
  });
}

function addCertify(vouch: Command, terminal: Terminal): void {
  const certify = vouch
    .command("certify")
    .summary("bound the error on new data")
    .description(
      "Prints every certificate of MODEL with its terms and premises. DATA are labelled rows that took no part in training. In JSON, null is an infinite bound.",
    )
    .argument("<MODEL>", "model file")
    .argument("[DATA]", "held-out data file, '-' or data set name")
    .option("--confidence <level>", "confidence of the certificates", fraction("confidence"), 0.95)
    .option(
      "--cost <true:predicted=cost>",
      "certify the mean cost too; errors that are not named cost 1; repeatable",
      collect,
    );
  withReading(withPrinting(withStrict(certify))).action(
    async (model: string, data: string | undefined, flags) => {
      const { certifyCommand } = await import("./commands/certify.js");
      await certifyCommand(model, data, flags, terminal);
    },
  );
}

function addSelect(vouch: Command, terminal: Terminal): void {
  const grids: LearnerGrid[] = [];
  const select = vouch
    .command("select")
    .summary("rank candidates by several criteria and choose one")
    .description(
      "Ranks candidates (learners with options) by one or more criteria and says where these disagree. The first criterion chooses.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "target column (default: 'label', or the last column)")
    .option("-l, --learner <name>", "a candidate learner; repeatable", addLearner(grids))
    .option(
      "-g, --grid <name=values...>",
      "values for an option of the preceding learner, separated by commas (lists by ';'); all combinations are tried",
      addToGrid(grids),
    )
    .option(
      "--by <criteria>",
      "criteria, separated by commas: cv, holdout, leave-one-out, srm, adjusted-srm, margin, aic, bic, reconstruction (default: cv)",
      commaList,
    )
    .option("--folds <k>", "folds of cv", wholeNumber("folds", 2), 10)
    .addOption(groupOption())
    .addOption(timeOption())
    .option(
      "--holdout <fraction>",
      "fraction of the rows held out by holdout and adjusted-srm",
      fraction("holdout"),
      0.2,
    )
    .option(
      "--confidence <level>",
      "confidence of the bounds of srm and margin",
      fraction("confidence"),
      0.95,
    )
    .option("-o, --out <file>", "train the chosen candidate on all rows and save it here")
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption());
  withObjective(withLearning(withPrinting(select))).action(async (data: string, flags) => {
    const { selectCommand } = await import("./commands/select.js");
    await selectCommand(data, flags, terminal);
  });
}

function addCompare(vouch: Command, terminal: Terminal): void {
  const compare = vouch
    .command("compare")
    .summary("compare learners: error, time, size, certificates")
    .description(
      "Compares learners on the same folds: error with paired tests against the best and against always answering the commonest class, time, size, and certificates from held-out rows.",
    )
    .argument("<DATA>", "data file, '-' or data set name")
    .option("-t, --target <column>", "target column (default: 'label', or the last column)")
    .option("--learners <names>", "learners, separated by commas (default: one of each fast kind)", commaList)
    .option("-s, --set <learner.name=value>", "set an option of a learner; repeatable", collect)
    .option("--folds <k>", "number of folds", wholeNumber("folds", 2), 5)
    .addOption(groupOption())
    .addOption(timeOption())
    .option(
      "--holdout <fraction>",
      "fraction of the rows held out for certificates (default: official test rows, or 0.2)",
      fraction("holdout"),
    )
    .option("--budget <time>", "time limit; learners that do not fit into it are listed", duration("budget"))
    .option("--report <file>", "also write an HTML report")
    .option(
      "--confidence <level>",
      "confidence that all certificates hold together",
      fraction("confidence"),
      0.95,
    )
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption());
  withObjective(withLearning(withPrinting(compare))).action(async (data: string, flags) => {
    const { compareCommand } = await import("./commands/compare.js");
    await compareCommand(data, flags, terminal);
  });
}

function addInspect(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("inspect")
      .summary("show a model's options, error and structure")
      .description("Prints learner, options, training data, error and structure of a model.")
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
      .summary("write a model for another program")
      .description(
        "Writes an svm model as a LIBSVM model file. --data and --data-out encode rows for svm-predict.",
      )
      .argument("<MODEL>", "model file")
      .addOption(modelFormatOption())
      .requiredOption("-o, --out <file>", "file to write")
      .option("--data <DATA>", "rows to encode for the exported model")
      .option("--data-out <file>", "file to write the encoded rows to"),
  ).action(async (model: string, flags) => {
    const { exportModel } = await import("./commands/libsvm.js");
    await exportModel(model, flags, terminal);
  });
}

function addImport(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("import")
      .summary("read a model from another program")
      .description(
        "Converts a LIBSVM model file into a vouch model with the columns f1, f2, … of LIBSVM data files.",
      )
      .argument("<FILE>", "model file of the other program")
      .addOption(modelFormatOption())
      .requiredOption("-o, --out <file>", "model file to write")
      .option(
        "--features <n>",
        "number of features (default: the largest index in the file)",
        wholeNumber("features", 1, 2_000_000),
      ),
  ).action(async (file: string, flags) => {
    const { importModel } = await import("./commands/libsvm.js");
    await importModel(file, flags, terminal);
  });
}

function addStudio(vouch: Command, terminal: Terminal): void {
  vouch
    .command("studio")
    .summary("train and use models in a browser")
    .description(
      "Serves a page on this computer that trains classifiers in the browser: drop a file, watch learners race, get a model with a verdict. No data leaves the computer. Ends with Ctrl-C.",
    )
    .argument("[FILE]", "data file, data set name or model file to open")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <n>", "port to listen on (default: 8687, or a free one)", wholeNumber("port", 1, 65_535))
    .option("-q, --quiet", "print only the address")
    .action(async (file: string | undefined, flags) => {
      const { studio } = await import("./commands/studio.js");
      await studio(file, flags, terminal);
    });
}

function addSign(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("sign")
      .summary("sign a model or another file")
      .description(
        "Signs FILE with an Ed25519 key, so that others can verify that it is yours and unchanged. The signature is a file of its own.",
      )
      .argument("<FILE>", "file to sign")
      .requiredOption("--key <file>", "private key (PEM), as from 'openssl genpkey -algorithm ed25519'")
      .option("-o, --out <file>", "signature file to write (default: FILE.sig)"),
  ).action(async (file: string, flags) => {
    const { sign } = await import("./commands/sign.js");
    await sign(file, flags, terminal);
  });
}

function addVerify(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("verify")
      .summary("verify the signature of a file")
      .description(
        "Checks that FILE is unchanged since the owner of the key signed it. Exits with 1 if it is not.",
      )
      .argument("<FILE>", "signed file")
      .requiredOption("--key <file>", "public key (PEM) of the person who signed it")
      .option("--signature <file>", "signature file (default: FILE.sig)"),
  ).action(async (file: string, flags) => {
    const { verify } = await import("./commands/sign.js");
    await verify(file, flags, terminal);
  });
}

function addDatasets(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("datasets")
      .summary("list data sets, or download one")
      .description("Lists the data sets; 'get' downloads one from its public source into the cache.")
      .argument("[action]", "list or get", "list")
      .argument("[name]", "data set to download"),
  ).action(async (action: string, name: string | undefined, flags: PrintingFlags) => {
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
      new Option("--scale <scale>", "size of the experiment").choices(["quick", "paper"]).default("quick"),
    )
    .option("-o, --out <file>", "file to write (default: standard output)")
    .option("--resume <file>", "keep finished parts in this file, and resume from it")
    .option("--only <text>", "compute only parts whose names contain this; repeatable", collect)
    .option("--part <k/n>", "compute only every n-th missing part, from the k-th on", processShare)
    .option("--finished", "compute nothing: show the finished parts of --resume")
    .option("--seed <n>", "random seed", wholeNumber("seed", 0), 1)
    .addOption(threadsOption())
    .addOption(memoryOption());
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
      await help(topic, vouch, terminal);
    });
}

function addCompletion(vouch: Command, terminal: Terminal): void {
  vouch
    .command("completion")
    .summary("print a shell completion script")
    .description(
      "Prints a script for bash, zsh or fish that completes commands, flags, learners, options and data sets.",
    )
    .addArgument(new Argument("<shell>", "shell").choices(SHELLS))
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

/** Reads the version of the command from its package.json. */
function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}

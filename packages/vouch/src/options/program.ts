import { limitMemory } from "@vouch/core/internal/runtime/memory-limit";
import { VERSION } from "@vouch/core/internal/runtime/version";
import { Argument, Command, Option } from "commander";
import { checkInstalled } from "../process/optional-package.js";
import { COMPLETE } from "../process/short-commands.js";
import { hasColour, type Terminal, width, writeText } from "../process/terminal.js";
import { completeOptions, withFields, withPrinting } from "./deferred-options.js";
import { ABOUT_DATA, examples, generalExamples } from "./examples.js";
import { collect, type PrintingFlags, processShare, SHELLS, type Shell, wholeNumber } from "./flags.js";
import { addExamples, helpLayout } from "./help-layout.js";
import { addCompare, addSelect, addTrain } from "./learning-commands.js";
import {
  addCertify,
  addEvaluate,
  addExport,
  addImport,
  addInspect,
  addPredict,
  addSign,
  addVerify,
} from "./model-commands.js";
import { addServe } from "./serve-command.js";

/** Defines the command line. The module of a command is loaded when it runs. */
export function program(terminal: Terminal): Command {
  const vouch = new Command("vouch")
    .description("Train classifiers that vouch for themselves: a model, its error, and a guarantee.")
    .version(VERSION, "-V, --version", "print the version")
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
  addServe(vouch, terminal);
  addStudio(vouch, terminal);
  addSign(vouch, terminal);
  addVerify(vouch, terminal);
  addDatasets(vouch, terminal);
  addExperiment(vouch, terminal);
  addWorker(vouch, terminal);
  addHelp(vouch, terminal);
  addCompletion(vouch, terminal);
  vouch.hook("preSubcommand", (_, command) => completeOptions(command));
  vouch.hook("preAction", (_, command) => limitMemory(command.opts<{ memory?: number }>().memory));
  addExamples(vouch, generalExamples, terminal, ABOUT_DATA);
  for (const command of vouch.commands) {
    command.showHelpAfterError(`Try 'vouch ${command.name()} --help'.`);
    addExamples(command, examples[command.name()] ?? [], terminal);
  }
  return vouch;
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
      checkInstalled("@vouch/studio", "vouch studio");
      const { studio } = await import("../commands/studio.js");
      await studio(file, flags, terminal);
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
    const { datasets } = await import("../commands/datasets.js");
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
    .option("--part <k/n>", "compute only every n-th missing part, from the k-th on", processShare("part"))
    .option("--finished", "compute nothing: show the finished parts of --resume");
  withFields(experiment, ({ addFields, addPrinting, addCluster }) => {
    addCluster(addPrinting(addFields(experiment, "seed", "threads", "memory")));
  }).action(async (name: string, flags) => {
    const { experiment } = await import("../commands/experiment.js");
    await experiment(name, flags, terminal);
  });
}

function addWorker(vouch: Command, terminal: Terminal): void {
  const worker = vouch
    .command("worker")
    .summary("run tasks of a cluster on this machine")
    .description(
      "Joins a cluster: runs tasks of commands with the same --cluster on the threads of this machine, until Ctrl-C.",
    );
  withFields(worker, ({ addFields }) => {
    addFields(worker, "cluster", "threads", "blobs")
      .option(
        "--metrics-port <n>",
        "serve Prometheus metrics on this port",
        wholeNumber("metrics-port", 0, 65_535),
      )
      .option("--metrics-host <address>", "address to serve metrics on", "127.0.0.1");
    addFields(worker, "memory").option("-q, --quiet", "print nothing but errors");
  }).action(async (flags) => {
    checkInstalled("@vouch/cluster", "vouch worker");
    const { worker } = await import("../commands/worker.js");
    await worker(flags, terminal);
  });
}

function addHelp(vouch: Command, terminal: Terminal): void {
  vouch
    .command("help")
    .summary("explain a command or a learner")
    .description("Explains a command, or a learner with all its options.")
    .argument("[topic]", "command or learner")
    .action(async (topic: string | undefined) => {
      const { help } = await import("../commands/help.js");
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
      const { completion } = await import("../commands/completion.js");
      completion(shell, terminal);
    });
  vouch
    .command(COMPLETE, { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { complete } = await import("../commands/completion.js");
      await complete(vouch, words, terminal);
    });
}

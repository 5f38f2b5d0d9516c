import { VERSION } from "@vouch/core/internal/runtime/version";
import { Argument, type Command } from "commander";
import { checkInstalled } from "../process/optional-package.js";
import { COMPLETE } from "../process/short-commands.js";
import type { Terminal } from "../process/terminal.js";
import { commandLine } from "./command-line.js";
import { withPrinting } from "./deferred-options.js";
import { ABOUT_DATA, examples, generalExamples } from "./examples.js";
import { type PrintingFlags, SHELLS, type Shell, wholeNumber } from "./flags.js";
import { addExamples } from "./help-layout.js";
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
import { addWorker } from "./worker-command.js";

/** Defines the command line. The module of a command is loaded when it runs. */
export function program(terminal: Terminal): Command {
  const vouch = commandLine("vouch", terminal)
    .description(
      "Train classifiers that vouch for themselves: a model, its error, and a guarantee. New here? Run 'vouch studio', or 'vouch train breastcancer'.",
    )
    .version(VERSION, "-V, --version", "print the version");
  vouch.commandsGroup("Train:");
  addTrain(vouch, terminal);
  addStudio(vouch, terminal);
  addCompare(vouch, terminal);
  addSelect(vouch, terminal);
  addDatasets(vouch, terminal);
  vouch.commandsGroup("Use:");
  addPredict(vouch, terminal);
  addServe(vouch, terminal);
  addExport(vouch, terminal);
  addImport(vouch, terminal);
  vouch.commandsGroup("Understand:");
  addInspect(vouch, terminal);
  addEvaluate(vouch, terminal);
  addCertify(vouch, terminal);
  vouch.commandsGroup("Share:");
  addSign(vouch, terminal);
  addVerify(vouch, terminal);
  vouch.commandsGroup("Run elsewhere:");
  addWorker(vouch, terminal);
  vouch.commandsGroup("Get help:");
  addHelp(vouch, terminal);
  addCompletion(vouch, terminal);
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
      const { runStudio } = await import("../commands/studio.js");
      await runStudio(file, flags, terminal);
    });
}

function addDatasets(vouch: Command, terminal: Terminal): void {
  withPrinting(
    vouch
      .command("datasets")
      .summary("list data sets, or download one")
      .description("Lists the data sets; 'get' downloads one from its public source into the cache.")
      .argument("[ACTION]", "list or get", "list")
      .argument("[NAME]", "data set to download"),
  ).action(async (action: string, name: string | undefined, flags: PrintingFlags) => {
    const { runDatasets } = await import("../commands/datasets.js");
    await runDatasets(action, name, flags, terminal);
  });
}

function addHelp(vouch: Command, terminal: Terminal): void {
  vouch
    .command("help")
    .summary("explain a command or a learner")
    .description("Explains a command, or a learner with all its options.")
    .argument("[TOPIC]", "command or learner")
    .action(async (topic: string | undefined) => {
      const { runHelp } = await import("../commands/help.js");
      await runHelp(topic, vouch, terminal);
    });
}

function addCompletion(vouch: Command, terminal: Terminal): void {
  vouch
    .command("completion")
    .summary("print a shell completion script")
    .description(
      "Prints a script for bash, zsh or fish that completes commands, flags, learners, options and data sets.",
    )
    .addArgument(new Argument("<SHELL>", "shell").choices(SHELLS))
    .action(async (shell: Shell) => {
      const { runCompletion } = await import("../commands/completion.js");
      runCompletion(shell, terminal);
    });
  vouch
    .command(COMPLETE, { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { runComplete } = await import("../commands/completion.js");
      await runComplete(vouch, words, terminal);
    });
}

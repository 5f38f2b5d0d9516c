import { limitMemory } from "@vouch/core/internal/runtime/memory-limit";
import { Command } from "commander";
import { hasColour, type Terminal, width, writeText } from "../process/terminal.js";
import { completeOptions } from "./deferred-options.js";
import { helpLayout } from "./help-layout.js";

/** Creates the root command: its output, its help and errors, and what happens before any command runs. */
export function commandLine(name: string, terminal: Terminal): Command {
  return new Command(name)
    .helpCommand(false)
    .exitOverride()
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError(`Try '${name} --help'.`)
    .configureOutput({
      // Help is written unescaped; only errors repeat arguments.
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: (text) => writeText(terminal.err, asSentence(text)),
      getOutHasColors: () => hasColour(terminal.out),
      getErrHasColors: () => hasColour(terminal.err),
      getOutHelpWidth: () => width(terminal.out),
      getErrHelpWidth: () => width(terminal.err),
    })
    .configureHelp(helpLayout)
    .hook("preSubcommand", (_, command) => completeOptions(command))
    .hook("preAction", (_, command) => limitMemory(command.opts<{ memory?: number }>().memory));
}

/** Formats commander's errors like all others: with a capital and a full stop. */
function asSentence(text: string): string {
  return text.replace(
    /^error: (.)(.*?)\.?$/m,
    (_, first: string, rest: string) => `error: ${first.toUpperCase()}${rest}.`,
  );
}

import { styleText } from "node:util";
import type { Argument, Command, Help, HelpConfiguration } from "commander";
import { type Terminal, width, wrap } from "../process/terminal.js";

/** Descriptions appear beside their term if they have at least this width, otherwise below. */
const NARROWEST_DESCRIPTION = 30;

/** Commands with remarks. */
export type Examples = readonly (readonly [command: string, remark: string])[];

/** Layout of `--help`; commander removes colours if the stream shows none. */
export const helpLayout: HelpConfiguration = {
  minWidthToWrap: 20,
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(inUsage)].join(" "),
  styleTitle: (title) => bold(title),
  formatItem: (term, termWidth, description, helper) => item(term, termWidth, description, helper),
};

function bold(text: string): string {
  return styleText("bold", text, { validateStream: false });
}

function inUsage(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

/** Formats a command, argument or option with its description. */
function item(term: string, termWidth: number, description: string, helper: Help): string {
  if (!description) return `  ${term}`;
  const columns = helper.helpWidth ?? 80;
  const beside = termWidth + 4;
  if (columns - beside < NARROWEST_DESCRIPTION) return `  ${term}\n${wrap(description, columns, "      ")}`;
  const gap = " ".repeat(beside - 2 - helper.displayWidth(term));
  return `  ${term}${gap}${wrap(description, columns - beside).replaceAll("\n", `\n${" ".repeat(beside)}`)}`;
}

/** Adds examples, after an introduction, to the end of a command's help. */
export function addExamples(command: Command, examples: Examples, terminal: Terminal, paragraph = ""): void {
  if (examples.length === 0) return;
  command.addHelpText("after", ({ error }) => {
    const columns = width(error ? terminal.err : terminal.out);
    const title = bold("Examples:");
    return `\n${paragraph && `${wrap(paragraph, columns)}\n\n`}${title}\n${exampleLines(examples, columns)}`;
  });
}

/** Formats examples with remarks beside them, or above if lines are too short. */
function exampleLines(examples: Examples, columns: number): string {
  const longest = Math.max(...examples.map(([command]) => command.length));
  const fits = examples.every(([, remark]) => longest + 4 + remark.length <= columns);
  return examples
    .map(([command, remark]) =>
      fits
        ? `  ${command.padEnd(longest)}  ${remark}`
        : `${wrap(`# ${remark}`, columns, "  ", "  # ")}\n  ${command}`,
    )
    .join("\n");
}

import type { LearnerKind } from "@vouch/core/internal/learners/learner";
import type { Argument, Command, Option } from "commander";
import { FILES_LINE, scripts } from "../options/completion-scripts.js";
import { completeOptions } from "../options/deferred-options.js";
import { REPORT_PARTS, type Shell } from "../options/flags.js";
import { printable, type Terminal } from "../process/terminal.js";

/** `vouch completion SHELL`: prints the script that completes `vouch` commands in a shell. */
export function runCompletion(shell: Shell, { out }: Terminal): void {
  out.write(scripts[shell]);
}

/** Prints the completions of the last word for the script, one per line, with a description after a tab. */
export async function runComplete(
  vouch: Command,
  words: readonly string[],
  { out }: Terminal,
): Promise<void> {
  const completions = await completionsOf(vouch, words);
  for (const { word, description } of completions.words) {
    out.write(description === "" ? `${word}\n` : `${word}\t${printable(description)}\n`);
  }
  if (completions.files) out.write(`${FILES_LINE}\n`);
}

/** A completion of the current word. */
interface Completion {
  /** The whole word; a word that ends in "=" is unfinished. */
  readonly word: string;
  readonly description: string;
}

/** The completions at the cursor. */
interface Completions {
  readonly words: readonly Completion[];
  /** Whether file names are possible, too. */
  readonly files: boolean;
}

/** All values of an option or argument. */
interface Choices {
  readonly words: readonly Completion[];
  readonly files?: boolean;
  /** Whether it takes several values, separated by commas. */
  readonly list?: boolean;
}

const NOTHING: Choices = { words: [] };
const FILES: Choices = { words: [], files: true };

/** Completes the last of the words after `vouch`, which may be empty. Loads learners and data sets only if needed. */
async function completionsOf(vouch: Command, words: readonly string[]): Promise<Completions> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const command = vouch.commands.find((known) => known.name() === before[0]);
  if (!command) return startingWith(current, before.length === 0 ? commandsOrFlags(vouch, current) : NOTHING);
  await completeOptions(command);
  const { positionals, open } = understood(command, before.slice(1));
  if (open) return startingWith(current, await valuesOf(open, vouch, before));
  const equals = current.indexOf("=");
  if (current.startsWith("--") && equals > 0) {
    const option = optionOf(command, current.slice(0, equals));
    const choices = option ? await valuesOf(option, vouch, before) : NOTHING;
    return prefixed(current.slice(0, equals + 1), startingWith(current.slice(equals + 1), choices));
  }
  if (current.startsWith("-")) return startingWith(current, flagsOf(command));
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  const argument = known[positionals.length] ?? (last?.variadic ? last : undefined);
  return startingWith(
    current,
    argument ? await valuesOfArgument(argument, command, vouch, positionals) : NOTHING,
  );
}

/** Parses the words before the cursor into positional arguments and an option that waits for its value. */
function understood(command: Command, words: readonly string[]): { positionals: string[]; open?: Option } {
  const positionals: string[] = [];
  let open: Option | undefined;
  for (const word of words) {
    if (open) open = undefined;
    else if (word.startsWith("-") && word !== "-") {
      const option = optionOf(command, word);
      open = option?.required ? option : undefined;
    } else positionals.push(word);
  }
  return { positionals, open };
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ short, long }) => flag === short || flag === long);
}

function commandsOrFlags(vouch: Command, current: string): Choices {
  return current.startsWith("-") ? flagsOf(vouch) : commandsOf(vouch);
}

function commandsOf(vouch: Command): Choices {
  return {
    words: vouch
      .createHelp()
      .visibleCommands(vouch)
      .map((command) => ({ word: command.name(), description: command.summary() })),
  };
}

function flagsOf(command: Command): Choices {
  const options = command.createHelp().visibleOptions(command);
  return {
    words: options.map(({ long, short, description }) => ({ word: long ?? short ?? "", description })),
  };
}

/** Lists the values of an option. */
async function valuesOf(option: Option, vouch: Command, before: readonly string[]): Promise<Choices> {
  if (option.argChoices) return { words: plainly(option.argChoices) };
  switch (option.long) {
    case "--learner":
      return { words: await learnerWords() };
    case "--learners":
      return { words: await learnerWords(), list: true };
    case "--set":
      if (before[0] === "compare") return { words: await comparedSettingWords(before) };
      return { words: await settingWords(learnerAmong(vouch, before), before) };
    case "--grid":
      return { words: await settingWords(learnerAmong(vouch, before), before) };
    case "--by":
      return { words: await criterionWords(), list: true };
    case "--report-without":
      return { words: plainly(REPORT_PARTS), list: true };
    case "--format":
      return { words: plainly((await import("@vouch/formats")).FORMATS) };
    case "--test":
    case "--unlabelled":
    case "--data":
      return { words: await datasetWords(), files: true };
    default:
      return /<(file|folder|path)>/.test(option.flags) ? FILES : NOTHING;
  }
}

async function valuesOfArgument(
  argument: Argument,
  command: Command,
  vouch: Command,
  positionals: readonly string[],
): Promise<Choices> {
  if (argument.argChoices) return { words: plainly(argument.argChoices) };
  switch (`${command.name()} ${argument.name()}`) {
    case "help TOPIC":
      return { words: [...commandsOf(vouch).words, ...(await learnerWords())] };
    case "datasets ACTION":
      return { words: plainly(["list", "get"]) };
    case "datasets NAME":
      return positionals[0] === "get" ? { words: await datasetWords() } : NOTHING;
    default:
      return argument.name() === "DATA" ? { words: await datasetWords(), files: true } : FILES;
  }
}

/** Finds the last learner named. */
function learnerAmong(vouch: Command, words: readonly string[]): string | undefined {
  const command = vouch.commands.find((known) => known.name() === words[0]);
  const flags = command?.options.find(({ long }) => long === "--learner");
  return words.reduce<string | undefined>((last, word, i) => {
    if (word.startsWith("--learner=")) return word.slice("--learner=".length);
    return flags && (word === flags.short || word === flags.long) ? words[i + 1] : last;
  }, undefined);
}

async function learnerWords(): Promise<Completion[]> {
  const { allLearners } = await import("@vouch/core/internal/learners/index");
  return (await allLearners()).map(({ name, title, summary }) => ({
    word: name,
    description: `${title}. ${summary}`,
  }));
}

/** Lists the settings of a learner; for a learner with a base, also the bases and their settings. */
async function settingWords(learner: string | undefined, before: readonly string[]): Promise<Completion[]> {
  const { allLearners } = await import("@vouch/core/internal/learners/index");
  const { defaultBase } = await import("@vouch/core/internal/learners/settings");
  const learners = await allLearners();
  const known = learners.find(({ name }) => name === learner);
  if (!known) return [];
  if (!known.baseNamed) return settingsOf(known);
  const bases = learners.filter(({ baseNamed }) => !baseNamed);
  const named = before.findLast((word) => word.startsWith("base="))?.slice("base=".length);
  const base = bases.find(({ name }) => name === (named ?? defaultBase(known)));
  return [
    ...(await settingsOf(known)).filter(({ word }) => word !== "baseOptions="),
    ...bases.map(({ name, title }) => ({ word: `base=${name}`, description: title })),
    ...(base ? await settingsOf(base, "base.") : []),
  ];
}

/** Lists the settings of the compared learners as `learner.name=`. */
async function comparedSettingWords(before: readonly string[]): Promise<Completion[]> {
  const { allLearners } = await import("@vouch/core/internal/learners/index");
  const given = before.findLast(
    (word, i) => before[i - 1] === "--learners" || word.startsWith("--learners="),
  );
  const names = (given ?? "").replace("--learners=", "").split(",");
  const compared = (await allLearners()).filter(({ name }) => names.includes(name));
  return (await Promise.all(compared.map((learner) => settingsOf(learner, `${learner.name}.`)))).flat();
}

/** Lists `name=` for each option, and `name=value` if there are few values. */
async function settingsOf({ options }: LearnerKind, prefix = ""): Promise<Completion[]> {
  const { describeOptions } = await import("@vouch/core/internal/learners/options");
  return describeOptions(options).flatMap(({ name, choices, description }) => [
    { word: `${prefix}${name}=`, description },
    ...choices.map((choice) => ({ word: `${prefix}${name}=${choice}`, description: "" })),
  ]);
}

async function criterionWords(): Promise<Completion[]> {
  const { criteria } = await import("@vouch/core/internal/select/criteria");
  return criteria.map(({ name, summary }) => ({ word: name, description: summary }));
}

async function datasetWords(): Promise<Completion[]> {
  const { catalogue } = await import("@vouch/datasets");
  return catalogue.map(({ name, title }) => ({ word: name, description: title }));
}

function plainly(words: readonly string[]): Completion[] {
  return words.map((word) => ({ word, description: "" }));
}

/** Filters choices by the typed text. In a list, completes the last item with values that are not in the list yet. */
function startingWith(typed: string, { words, files = false, list = false }: Choices): Completions {
  const comma = list ? typed.lastIndexOf(",") + 1 : 0;
  const given = typed.slice(0, comma).split(",");
  const item = typed.slice(comma);
  // A setting is completed in two steps: `name=`, then `name=value`.
  const isNext = (word: string) => (item.includes("=") ? !word.endsWith("=") : /^[^=]*=?$/.test(word));
  const fitting = words.filter(
    ({ word }) => word.startsWith(item) && isNext(word) && !(list && given.includes(word)),
  );
  return prefixed(typed.slice(0, comma), { words: fitting, files });
}

function prefixed(prefix: string, { words, files }: Completions): Completions {
  return { words: words.map(({ word, description }) => ({ word: prefix + word, description })), files };
}

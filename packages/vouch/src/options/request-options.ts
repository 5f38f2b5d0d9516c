import { describeOptions, type OptionDescription } from "@vouch/core/internal/learners/options";
import { findMetric } from "@vouch/core/internal/metrics/metric-name";
import { isAllowed, type NamedField } from "@vouch/core/internal/train/request/field";
import { trainCommandRequest } from "@vouch/core/internal/train/request/request";
import { HEADINGS, type ListedOption, listOptions } from "@vouch/core/internal/train/request/request-table";
import { type Command, Option } from "commander";
import {
  classWeights,
  collect,
  commaList,
  delimiter,
  duration,
  fraction,
  memorySize,
  processShare,
  reportParts,
  share,
  wrongValue,
} from "./flags.js";

type RequestSchema = Parameters<typeof describeOptions>[0];

/** Adds the options of `vouch train`. */
export function addTrainOptions(train: Command, schema: RequestSchema = trainCommandRequest): void {
  for (const { option } of optionsOf(schema)) train.addOption(option);
  groupOptions(train);
}

type FieldName = keyof typeof trainCommandRequest.shape;

/** Adds some of these options to another command. */
export function addFields(command: Command, ...names: readonly FieldName[]): Command {
  for (const option of names.flatMap(optionsNamed)) command.addOption(option);
  return command;
}

/** Adds one of these options to a command with another help text or default. */
export function addField(
  command: Command,
  name: FieldName,
  { help, usual }: { readonly help: string; readonly usual?: number },
): Command {
  for (const option of optionsNamed(name)) {
    option.description = help;
    command.addOption(usual === undefined ? option : option.default(usual));
  }
  return command;
}

function optionsNamed(name: FieldName): Option[] {
  return optionsOf(trainCommandRequest).flatMap(({ field, option }) => (field.name === name ? [option] : []));
}

const TITLES: readonly string[] = HEADINGS.map((heading) => `${heading}:`);

/** Lists the options of a command under their headings; its own options and the most common ones come first. */
export function groupOptions(command: Command): void {
  for (const option of command.options) option.helpGroupHeading ??= TITLES[0];
  const used = TITLES.filter((title) => command.options.some((one) => one.helpGroupHeading === title));
  command.addHelpOption(new Option("-h, --help", "show this help").helpGroup(used[used.length - 1]));
  command.configureHelp({
    ...command.configureHelp(),
    groupItems: (_, items, titleOf) =>
      new Map(used.map((title) => [title, items.filter((item) => titleOf(item) === title)])),
  });
}

/**
 * Adds the flags of commands that learn: how to read DATA, and what its columns are. A model file stores the latter.
 */
export function addLearning(command: Command): Command {
  return addReading(addFields(command, "date", "dateOrder", "text", "mergeClasses"));
}

/** Adds the flags for metric and costs. */
export function addObjective(command: Command): Command {
  return addFields(command, "metric", "cost", "positive", "classWeights");
}

/** Adds the flags for reading DATA and its memory limit. */
export function addReading(command: Command): Command {
  addFields(command, "categorical", "numeric", "ignore", "format", "delimiter", "decimalComma", "missing");
  addFields(command, "encoding", "sheet", "skip", "headerRow", "keepTotals", "header");
  return addFields(command, "memory");
}

/** Adds the flags of commands that can use other machines. */
export function addCluster(command: Command): Command {
  return addFields(command, "cluster", "blobs", "wait", "verify");
}

/** Adds the flags of commands that print a result. */
export function addPrinting(command: Command): Command {
  return addFields(command, "json", "quiet");
}

/** Cached descriptions of a request's fields, which take milliseconds to compute. */
const descriptions = new WeakMap<RequestSchema, ReadonlyMap<string, OptionDescription>>();

function descriptionsOf(schema: RequestSchema): ReadonlyMap<string, OptionDescription> {
  const made = descriptions.get(schema) ?? new Map(describeOptions(schema).map((one) => [one.name, one]));
  descriptions.set(schema, made);
  return made;
}

/** Creates the options of a request. */
function optionsOf(schema: RequestSchema): (ListedOption & { readonly option: Option })[] {
  const described = descriptionsOf(schema);
  return listOptions(schema).map((listed) => {
    const option = new Option(listed.flags, listed.help).helpGroup(`${listed.heading}:`);
    const { field } = listed;
    if (option.isBoolean() || option.negate) return { ...listed, option };
    const { default: usual, choices = [], allowed = "" } = described.get(field.name) ?? {};
    if (usual !== undefined) option.default(usual);
    if (field.env !== undefined) option.env(field.env);
    return { ...listed, option: withParser(option, field, choices, allowed) };
  });
}

/** Lets an option parse its text. */
function withParser(option: Option, field: NamedField, choices: readonly string[], allowed: string): Option {
  const name = field.option.slice("--".length);
  switch (field.form) {
    case "choice":
      return option.choices(choices);
    case "metric":
      return option.argParser(findMetric);
    case "whole number":
      return option.argParser((text) => wholeNumberOf(field, text, allowed));
    case "fraction":
      return option.argParser(fraction(name));
    case "percentage":
      return option.argParser(share(name));
    case "duration":
      return option.argParser(duration(name));
    case "memory":
      return option.argParser(memorySize(name));
    case "delimiter":
      return option.argParser(delimiter);
    case "list":
      return option.argParser(commaList);
    case "repeated":
      return option.argParser(collect);
    case "class weights":
      return option.argParser(classWeights);
    case "report parts":
      return option.argParser(reportParts);
    case "process share":
      return option.argParser(processShare(name));
    default:
      return option;
  }
}

function wholeNumberOf(field: NamedField, text: string, allowed: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && isAllowed(field, value)) return value;
  throw wrongValue(field.option, allowed, text);
}

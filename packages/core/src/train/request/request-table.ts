import type * as z from "zod";
import { defaultOf, FIELD_GROUPS, fieldsIn, type NamedField } from "./field.js";
import { trainCommandRequest } from "./request.js";

/** An option as listed in help and docs. */
export interface ListedOption {
  readonly flags: string;
  readonly help: string;
  readonly heading: string;
  readonly field: NamedField;
}

/** Heading of the most common options. */
const COMMON = "Most used";

/** Headings of options in help and docs, in their order. */
export const HEADINGS: readonly string[] = [COMMON, ...Object.values(FIELD_GROUPS)];

/** Lists the options of a request under their headings: the most common ones first, then by group. */
export function listOptions(schema: z.ZodObject = trainCommandRequest): ListedOption[] {
  const fields = fieldsIn(schema);
  const placed = fields.flatMap((field) =>
    field.place === undefined ? [] : [{ field, place: field.place }],
  );
  const common = placed.sort((a, b) => a.place - b.place).map(({ field }) => field);
  const groups = Object.entries(FIELD_GROUPS).flatMap(([group, heading]) =>
    fields
      .filter((field) => field.group === group && field.place === undefined)
      .flatMap((field) => listed(field, heading)),
  );
  return [...common.flatMap((field) => listed(field, COMMON)), ...groups];
}

function listed(field: NamedField, heading: string): ListedOption[] {
  const { flags, help, negatedHelp, option } = field;
  const own = { flags, help, heading, field };
  if (negatedHelp === undefined) return [own];
  return [own, { ...own, flags: option.replace("--", "--no-"), help: negatedHelp }];
}

/** Formats the options of a request as a Markdown table. */
export function optionTable(schema: z.ZodObject = trainCommandRequest): string {
  const options = listOptions(schema);
  const headings = [...new Set(options.map(({ heading }) => heading))];
  const tables = headings.map((heading) => {
    const rows = options.filter((option) => option.heading === heading);
    return `**${heading}**\n\n| option | what it does |\n|---|---|\n${rows.map(row).join("\n")}\n`;
  });
  return tables.join("\n");
}

function row({ flags, help, field }: ListedOption): string {
  const usual = defaultOf(field);
  const known = usual === undefined || usual === true ? "" : ` (default: ${usual})`;
  return `| \`${flags}\` | ${help.replaceAll("|", "\\|")}${known} |`;
}

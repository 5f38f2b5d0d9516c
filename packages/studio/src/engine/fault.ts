import { VouchError } from "vouch/errors";
import type { Fault } from "./protocol.js";

/** What a page says in place of a flag of the command. */
const IN_A_PAGE: readonly (readonly [RegExp, string])[] = [
  [/choose another column with --target/gi, "choose another target"],
  [/ with --target/g, ""],
  [
    /If the file has more columns, set their separator with --delimiter\./g,
    "Separate the columns by commas, semicolons or tabs.",
  ],
  [/Pass --format with one of ([^.]+)\./g, "Give the file the extension of its format: $1."],
  [/Keep a column with --numeric, --categorical or --text\./g, "Choose a kind to keep a column."],
  [/ Use --decimal-comma to read them as numbers\./g, ""],
  [/ If that line is data, add --no-header\./g, " If that line is data, add a line of names above it."],
  [/, or use --stratify, which keeps a row of each class if there are two/g, ""],
];

/** Turns anything thrown into a fault for the page. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof VouchError) {
    const { message, hint, code } = thrown;
    return { message, hint: hint && inAPage(hint), stopped: code === "run/interrupted" };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { message: `Something went wrong: ${message}` };
}

/** Rewords advice for people without a command line. */
export function inAPage(hint: string): string {
  return IN_A_PAGE.reduce((text, [flag, words]) => text.replace(flag, words), hint);
}

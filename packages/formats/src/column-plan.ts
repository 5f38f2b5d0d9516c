import { columnHint, VouchError } from "vouch/errors";
import type { ReadOptions } from "./read-options.js";

/** What the user wants of a column: a kind, to leave it out, or undefined for the kind that its cells suggest. */
export type Wish = "numeric" | "categorical" | "ignored" | undefined;

/** The part of the options that speaks about columns. */
export type ColumnOptions = Pick<ReadOptions, "target" | "categorical" | "numeric" | "ignore">;

/**
 * What the options want of each column. A name that the file does not have, or that two options claim for
 * different things, is an error. The target may be absent: data to predict has none.
 */
export function wishes(file: string, names: readonly string[], options: ColumnOptions): Map<string, Wish> {
  const known = new Set(names);
  const target = targetName(names, options);
  const wished = new Map<string, Wish>();
  const claim = (column: string, wish: Wish, option: string) => {
    if (!known.has(column)) throw unknownColumn(file, column, option, known);
    const other = wished.get(column);
    if (other !== undefined && other !== wish) throw twoWishes(column, other, wish, column === target);
    wished.set(column, wish);
  };
  if (target !== undefined && known.has(target)) wished.set(target, "categorical");
  for (const column of options.categorical ?? []) claim(column, "categorical", "categorical");
  for (const column of options.numeric ?? []) claim(column, "numeric", "numeric");
  for (const column of options.ignore ?? []) claim(column, "ignored", "ignore");
  return wished;
}

/** The name of the target, whether or not there is such a column. */
export function targetName(names: readonly string[], { target }: ColumnOptions): string | undefined {
  return typeof target === "function" ? target(names) : target;
}

/** Column names of a file as its header gives them; an unnamed column is called after its place, `column3`. */
export function checkedNames(file: string, header: readonly string[], hint?: string): string[] {
  const names = header.map((name, index) => (name === "" ? `column${index + 1}` : name));
  const positions = new Map<string, number>();
  for (let index = 0; index < names.length; index++) {
    const first = positions.get(names[index]);
    if (first !== undefined) {
      throw new VouchError(
        "data/duplicate-column",
        `${file}: columns ${first + 1} and ${index + 1} are both called "${names[index]}".`,
        { hint: `Rename or remove one of them.${hint === undefined ? "" : ` ${hint}`}` },
      );
    }
    positions.set(names[index], index);
  }
  return names;
}

function twoWishes(column: string, first: Wish, second: Wish, isTarget: boolean): VouchError {
  if (isTarget) {
    return new VouchError("option/invalid", `Column "${column}" is the target: it cannot be ${second}.`, {
      hint: "Its values are classes. Name another target, or leave the column out of the other option.",
    });
  }
  return new VouchError(
    "option/invalid",
    `Column "${column}" cannot be ${first} and ${second} at the same time.`,
    { hint: "Name it in one option." },
  );
}

function unknownColumn(file: string, column: string, option: string, known: Iterable<string>): VouchError {
  return new VouchError("data/missing-column", `${file} has no column "${column}" (option ${option}).`, {
    hint: columnHint(column, known),
  });
}

import type { ReadingFlags } from "./program.js";

/** An argument as a shell takes it. */
export function quoted(argument: string): string {
  return /^[\w./:=,@+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** The flags that say how DATA is read, as they are typed. */
export function readingArguments(flags: ReadingFlags): string[] {
  const columns = (["categorical", "numeric", "ignore"] as const).flatMap((name) => {
    const named = flags[name];
    return named ? [`--${name} ${quoted(named.join(","))}`] : [];
  });
  return [
    ...columns,
    ...(flags.format === undefined ? [] : [`--format ${flags.format}`]),
    ...(flags.delimiter === undefined ? [] : [`--delimiter ${quoted(flags.delimiter)}`]),
    ...(flags.decimalComma ? ["--decimal-comma"] : []),
    ...(flags.header === false ? ["--no-header"] : []),
  ];
}

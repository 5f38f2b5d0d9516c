/** Control characters, line separators, and marks that change the direction of text. */
export const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Tells whether a terminal shows all of the text as it is. */
function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0;
}

/** Writes names as the argument of a flag that takes a list; a name with a comma is in double quotes, as in CSV. */
export function listArgument(names: readonly string[]): string {
  const listed = names.map((name) => (/^"|,/.test(name) ? `"${name.replaceAll('"', '""')}"` : name));
  return shellQuoted(listed.join(","));
}

/**
 * Quotes an argument for a POSIX shell; `$'…'`, which bash and zsh know, if it has characters that a terminal would not show as they
 * are.
 */
export function shellQuoted(argument: string): string {
  if (/^[\w./:=,@+-]+$/.test(argument)) return argument;
  if (isPrintable(argument)) return `'${argument.replaceAll("'", "'\\''")}'`;
  const escaped = Array.from(argument, (character) => {
    if (character === "'" || character === "\\") return `\\${character}`;
    return isPrintable(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `$'${escaped.join("")}'`;
}

/** Most characters of a quoted name or cell, and of a whole text. */
const MOST_QUOTED = 60;
const MOST_TEXT = 800;

/** A part in double quotes that stands for itself; those inside of a name are not taken for its end. */
const QUOTED = /(?<=^|[\s(:])"([^"]{61,})"(?=$|[\s.,;:)?])/gu;

/**
 * Cuts what makes a message long: names and cells in quotes after 60 characters, and the middle of a text of more than 800. The
 * beginning says what the message is about, the end what is wrong.
 */
export function conciseText(text: string): string {
  const short = text.replace(QUOTED, (_, name: string) => `"${shortName(name)}"`);
  if (short.length <= MOST_TEXT) return short;
  return `${beginning(short, 0.75 * MOST_TEXT)} … ${ending(short, 0.25 * MOST_TEXT - 3)}`;
}

/** Cuts a name or a cell after 60 characters. */
export function shortName(name: string): string {
  return name.length > MOST_QUOTED ? `${beginning(name, MOST_QUOTED - 1)}…` : name;
}

/** Returns the first characters, without half of one that takes two places. */
function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function ending(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, "");
}

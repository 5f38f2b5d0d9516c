import { corrupt } from "../state/corrupt.js";
import type { Json } from "../state/state.js";

/**
 * Parses JSON from a file that nobody vouches for. Besides what `JSON.parse` refuses, a repeated key is an
 * error (readers disagree on which one counts), and so is `__proto__`, which no model needs.
 * `part` names the text in messages.
 */
export function parseJson(text: string, part: string): Json {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw corrupt(`The ${part} is not valid JSON.`, cause);
  }
  checkKeys(text, part);
  return json;
}

/** JSON text of plain data. A number that JSON cannot hold is a mistake of the caller, never silently null. */
export function jsonText(json: Json): string {
  return JSON.stringify(json, (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new TypeError(`"${key}" is ${value}, which JSON cannot hold.`);
    }
    return value;
  });
}

/** Whether a value is a JSON object, not an array and not null. */
export function isObject(json: Json | undefined): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Walks over valid JSON text and looks at the keys of every object. */
function checkKeys(text: string, part: string): void {
  const open: Set<string>[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "{") open.push(new Set());
    else if (character === "}") open.pop();
    else if (character === '"') {
      const end = endOfString(text, i);
      if (isKey(text, end)) {
        const key: unknown = JSON.parse(text.slice(i, end));
        addKey(open[open.length - 1], String(key), part);
      }
      i = end - 1;
    }
  }
}

function addKey(keys: Set<string>, key: string, part: string): void {
  if (key === "__proto__") throw corrupt(`The ${part} has a key "__proto__", which is not allowed.`);
  if (keys.has(key)) throw corrupt(`The ${part} has the key "${key}" twice.`);
  keys.add(key);
}

/** The place after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

/** Whether the string that ended before `place` is a key: a colon follows. */
function isKey(text: string, place: number): boolean {
  while (text[place] === " " || text[place] === "\n" || text[place] === "\r" || text[place] === "\t") place++;
  return text[place] === ":";
}

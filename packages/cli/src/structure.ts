import type { Json } from "vouch";

/** Whether a part of a model's description has named parts of its own. */
export function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of a part as people read it: `trainingError` as "training error". */
export function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

import { formatNumber, type Json } from "vouch";

/** Whether a part of a model's description has named parts of its own. */
export function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of a part as people read it: `trainingError` as "training error". */
export function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A part of a model's description in a line: rules as questions, other parts by their names. */
export function inText(value: Json): string {
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.map(inText).join(", ");
  if (!isRecord(value)) return "";
  const { feature, threshold, left, right, ...rest } = value;
  const isRule = [feature, threshold, left, right].every((part) => part !== undefined);
  const facts = Object.entries(isRule ? rest : value).map(
    ([name, part]) => `${inWords(name)} ${inText(part)}`,
  );
  if (!isRule) return facts.join(", ");
  const rule = `${inText(feature)} ≤ ${inText(threshold)} → ${inText(left)}, otherwise ${inText(right)}`;
  return facts.length > 0 ? `${rule} (${facts.join(", ")})` : rule;
}

import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type {
  LearningRequest,
  SharedRequest,
  TrainCommandRequest,
} from "@vouch/core/internal/train/request/request";

/** Flags that say how to read DATA. */
export type ReadingFlags = LearningRequest;

/** Flags of commands that print a result. */
export type PrintingFlags = Pick<SharedRequest, "json" | "quiet">;

/** Flags of commands that can use other machines. */
export type ClusterFlags = Pick<SharedRequest, "cluster" | "blobs" | "wait" | "verify">;

/** Flags of commands that take long. */
export type LongRunFlags = PrintingFlags & ClusterFlags & Pick<SharedRequest, "seed" | "threads">;

/** Flags of commands that learn from DATA. */
export type LearningFlags = ReadingFlags & SharedRequest & Pick<TrainCommandRequest, "confidence">;

/** A learner of `select`, with the settings of its grid. */
export interface LearnerGrid {
  readonly learner: string;
  readonly grid: readonly string[];
}

/** Adds a learner, to which the following grids belong. */
export function addLearner(grids: LearnerGrid[]): (name: string) => readonly LearnerGrid[] {
  return (name) => {
    grids.push({ learner: name, grid: [] });
    return grids;
  };
}

/** Adds a setting to the grid of the last learner. */
export function addToGrid(grids: LearnerGrid[]): (setting: string) => readonly LearnerGrid[] {
  return (setting) => {
    const last = grids.pop();
    if (!last) {
      throw new VouchError("option/invalid", `--grid ${setting} comes before any --learner.`, {
        hint: "Name the learner first, then its grid.",
      });
    }
    grids.push({ ...last, grid: [...last.grid, setting] });
    return grids;
  };
}

/** Parses a delimiter; `tab` and `\\t` stand for a tab, which is hard to type in most shells. */
export function delimiter(text: string): string {
  return text === "\\t" || text === "tab" ? "\t" : text;
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, values: string[] = []): string[] {
  return [...values, value];
}

/** Parses a comma-separated list; a name with a comma is in double quotes, as `listArgument` writes it. */
export function commaList(text: string, before: string[] = []): string[] {
  const names = Array.from(
    text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"(?=,|$)|([^,]*))/g),
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  );
  return [...before, ...names.filter((name) => name !== "")];
}

/** Creates the error for an option with a wrong value: `--holdout must be between 0 and 1, not 2.` */
export function wrongValue(option: string, wanted: string, text: string, hint?: string): VouchError {
  const isNumber = text.trim() !== "" && !Number.isNaN(Number(text));
  const given = isNumber ? text : `"${text}"`;
  return new VouchError("option/invalid", `${option} must be ${wanted}, not ${given}.`, hint ? { hint } : {});
}

/** Parses a number between 0 and 1. */
export function fraction(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && value > 0 && value < 1) return value;
    throw wrongValue(`--${name}`, "between 0 and 1", text, "For example 0.2 or 0.95.");
  };
}

/** Parses a share such as `2%`, `2 %` or `0.02`. */
export function share(name: string): (text: string) => number {
  return (text) => {
    const [, number = "", percent] = /^([\d.]+) ?(%)?$/.exec(text.trim()) ?? [];
    const value = Number(number) / (percent ? 100 : 1);
    if (number !== "" && value > 0 && value < 1) return value;
    throw wrongValue(`--${name}`, "between 0 and 1", text, "For example 2% or 0.02.");
  };
}

/** Parses class weights: `balanced`, or `CLASS=WEIGHT` for some classes. */
export function classWeights(text: string, before?: ClassWeights): ClassWeights {
  if (text === "balanced" && before === undefined) return text;
  const wrong = before === "balanced" ? before : text;
  const equals = wrong.lastIndexOf("=");
  const weight = Number(wrong.slice(equals + 1));
  if (equals > 0 && wrong.slice(equals + 1).trim() !== "" && weight > 0 && Number.isFinite(weight)) {
    return { ...(before !== "balanced" && before), [wrong.slice(0, equals)]: weight };
  }
  throw wrongValue(
    "--class-weights",
    "balanced, or CLASS=WEIGHT with a positive weight",
    wrong,
    "For example Yes=5.",
  );
}

type ClassWeights = NonNullable<TrainCommandRequest["classWeights"]>;

/** Parses a whole number in a range. */
export function wholeNumber(
  name: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `from ${least} to ${most}`;
    throw wrongValue(`--${name}`, `a whole number ${range}`, text);
  };
}

/** Seconds of a unit of time. */
const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, min: 60, h: 3600 };

/** Parses a duration such as `90`, `10s`, `1.5m`, `2min` or `1h` into seconds. */
export function duration(name: string): (text: string) => number {
  return (text) => {
    const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?) ?(s|m|min|h)?$/.exec(text.trim()) ?? [];
    const seconds = Number(number) * UNITS[unit];
    if (number !== "" && seconds > 0 && Number.isFinite(seconds)) return seconds;
    throw wrongValue(`--${name}`, "a duration such as 10s, 90 (seconds), 2m or 1h", text);
  };
}

/** Bytes of a unit of memory. */
const BYTES: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** Minimum memory for a command. */
const LEAST_MEMORY = 100 * 2 ** 20;

/**
 * Parses an amount of memory such as `500MB`, `4GB`, `1.5g` or `2 GiB` into bytes; at least 100 MB unless another
 * minimum is given.
 */
export function memorySize(name: string, least = LEAST_MEMORY): (text: string) => number {
  return (text) => {
    const [, number = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,9})?) ?([kmgt])(?:i?b)?$/i.exec(text.trim()) ?? [];
    const bytes = Number(number) * BYTES[unit.toLowerCase()];
    if (number !== "" && bytes >= least) return bytes;
    const wanted = least === LEAST_MEMORY ? "at least 100MB, such as 4GB" : "an amount such as 500KB or 16MB";
    throw wrongValue(`--${name}`, wanted, text);
  };
}

/** A part of a report that can be left out. */
type ReportPart = NonNullable<TrainCommandRequest["reportWithout"]>[number];

/** The parts of a report that can be left out. */
export const REPORT_PARTS: readonly ReportPart[] = ["rows", "model"];

/** Parses a list of parts of a report. */
export function reportParts(text: string, before: readonly ReportPart[] = []): readonly ReportPart[] {
  const parts = text.split(",").map((name) => {
    const part = REPORT_PARTS.find((known) => known === name.trim());
    if (part !== undefined) return part;
    throw wrongValue("--report-without", "model, rows or both, as in rows,model", text);
  });
  return [...before, ...parts];
}

/** Shells with a completion script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** Index of this process among several, from 1, and their number. */
export type ProcessShare = NonNullable<TrainCommandRequest["shard"]>;

/** Parses the index of this process among several, such as 3/16. */
export function processShare(name: string): (text: string) => ProcessShare {
  return (text) => {
    const [index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text)?.slice(1) ?? ["0", "0"]).map(Number);
    if (index >= 1 && index <= of) return { index, of };
    throw wrongValue(`--${name}`, "k/n, such as 3/16: process k (from 1) of n", text);
  };
}

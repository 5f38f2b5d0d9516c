import { dependentCases } from "./dependent-cases.js";
import { independentCases } from "./independent-cases.js";
import { repeatedCases } from "./repeated-cases.js";
import type { Source } from "./source.js";

const all = { ...repeatedCases, ...dependentCases, ...independentCases };

/** A key of `sources`. */
export type SourceName = keyof typeof all;

/** The sources by name. */
export const sources: Readonly<Record<SourceName, Source>> = all;

/** The names of all sources. */
export const sourceNames = Object.keys(all).filter((name): name is SourceName => name in all);

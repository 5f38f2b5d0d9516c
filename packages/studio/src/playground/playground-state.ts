import type { Settings } from "../options/settings.js";
import { type DrawnPoint, readPoints, writePoints } from "./drawn-points.js";
import { MOST_CLASSES, type ProblemName, type ProblemSettings, problemNames } from "./plane-problem.js";

/** The complete state of the playground. It is in the address, so that a link restores it. */
export interface PlaygroundState extends ProblemSettings {
  readonly learner: string;
  readonly settings: Settings;
}

export const initialState: PlaygroundState = {
  problem: "moons",
  rows: 200,
  noise: 0.15,
  classes: 3,
  seed: 1,
  points: [],
  learner: "adaboost",
  settings: {},
};

export const stateRanges = {
  rows: { min: 20, max: 1000, whole: true },
  noise: { min: 0, max: 1, whole: false },
  classes: { min: 2, max: MOST_CLASSES, whole: true },
  seed: { min: 0, max: 1_000_000, whole: true },
} as const;
export type StateNumber = keyof typeof stateRanges;

const stateNumbers: readonly StateNumber[] = ["rows", "noise", "classes", "seed"];

/** Prefix of the playground's address. */
export const PLAYGROUND_HASH = "#playground";

/** Prefix of learner options in an address. */
const OPTION = "set.";

/** Formats a state as the hash of an address, without defaults. */
export function writeHash(state: PlaygroundState): string {
  const parameters = new URLSearchParams();
  if (state.problem !== initialState.problem) parameters.set("problem", state.problem);
  for (const name of stateNumbers) {
    if (state[name] !== initialState[name]) parameters.set(name, String(state[name]));
  }
  if (state.points.length > 0) parameters.set("points", writePoints(state.points));
  if (state.learner !== initialState.learner) parameters.set("learner", state.learner);
  for (const [name, value] of Object.entries(state.settings)) parameters.set(OPTION + name, value);
  const text = parameters.toString();
  return text === "" ? PLAYGROUND_HASH : `${PLAYGROUND_HASH}?${text}`;
}

/** A state read from an address, and the errors in the address. */
export interface ReadState {
  readonly state: PlaygroundState;
  /** One sentence each; the default was used instead. */
  readonly faults: readonly string[];
}

/** Parses the hash of an address. Missing or invalid parts get their defaults. */
export function stateFrom(hash: string): ReadState {
  const start = hash.indexOf("?");
  const parameters = new URLSearchParams(start < 0 ? "" : hash.slice(start + 1));
  const faults: string[] = [];
  const numbers: Record<StateNumber, number> = { ...initialState };
  let problem: ProblemName = initialState.problem;
  let points: readonly DrawnPoint[] = [];
  let { learner } = initialState;
  const settings: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (name === "problem") problem = problemFrom(value, faults);
    else if (name === "points") points = pointsFrom(value, faults);
    else if (name === "learner") learner = value;
    else if (name.startsWith(OPTION)) settings[name.slice(OPTION.length)] = value;
    else if (isStateNumber(name)) numbers[name] = numberFrom(name, value, faults);
    else faults.push(`The link has an unknown part "${name}".`);
  }
  const { rows, noise, classes, seed } = numbers;
  return { state: { problem, rows, noise, classes, seed, points, learner, settings }, faults };
}

function isStateNumber(name: string): name is StateNumber {
  return Object.hasOwn(stateRanges, name);
}

function problemFrom(value: string, faults: string[]): ProblemName {
  const found = problemNames.find((name) => name === value);
  if (!found) faults.push(`The link asks for the problem "${value}". There are ${problemNames.join(", ")}.`);
  return found ?? initialState.problem;
}

function pointsFrom(value: string, faults: string[]): readonly DrawnPoint[] {
  const points = readPoints(value, MOST_CLASSES);
  if (!points) faults.push("The drawn points in the link are damaged: the link may have been cut off.");
  return points ?? [];
}

function numberFrom(name: StateNumber, text: string, faults: string[]): number {
  const value = numberInRange(name, text);
  const { min, max } = stateRanges[name];
  if (value === undefined)
    faults.push(`The link sets ${name} to "${text}", but it must be a number from ${min} to ${max}.`);
  return value ?? initialState[name];
}

/** Parses a number; undefined if it is invalid or out of its range. */
export function numberInRange(name: StateNumber, text: string): number | undefined {
  const { min, max, whole } = stateRanges[name];
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return value >= min && value <= max && (!whole || Number.isInteger(value)) ? value : undefined;
}

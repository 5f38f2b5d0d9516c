import type { Module } from "./module-graph.mjs";

/** The places of one window: the lines on which it begins. */
export type Places = { path: string; line: number }[];
export function duplicatedWindows(modules: Iterable<Module>): Places[];

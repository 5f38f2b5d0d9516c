import type { Module, ModuleGraph } from "./module-graph.mjs";

export interface UnusedExport {
  readonly name: string;
  readonly path: string;
  readonly used: "in its own file" | "in tests" | "nowhere";
}
export function namesDefinedTwice(modules: Iterable<Module>): { name: string; paths: string[] }[];
export function unusedExports(graph: ModuleGraph): {
  declarations: UnusedExport[];
  reexports: { name: string; path: string }[];
};

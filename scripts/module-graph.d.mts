export interface Import {
  readonly specifier: string;
  readonly kind: "value" | "type" | "dynamic";
  /** The path of the source that is imported; undefined for what is no source of a package. */
  readonly to: string | undefined;
}
export interface Module {
  readonly path: string;
  readonly imports: readonly Import[];
  /** The exported names that the module itself declares. */
  readonly declared: ReadonlySet<string>;
}
export interface ModuleGraph {
  readonly modules: ReadonlyMap<string, Module>;
  readonly users: ReadonlyMap<string, Module>;
  /** The sources behind the packages' `exports`. */
  readonly entries: ReadonlySet<string>;
  readonly unresolved: readonly { readonly from: string; readonly specifier: string }[];
}
export const ROOMS: readonly string[];
export function readGraph(root: string): ModuleGraph;
export function importCycles(graph: ModuleGraph, kinds?: readonly Import["kind"][]): string[][];
export function wrongDirections(graph: ModuleGraph): { from: string; to: string }[] | undefined;

/** What a module exports under a name. */
export interface ExportedName {
  readonly name: string;
  readonly comment: string;
  readonly code: string;
  /** The heading above it in the module; names under "Also here" have their place in another module. */
  readonly section: string;
  /** Whether it is a type, or a class of which only the type is exported. */
  readonly typeOnly: boolean;
}
/** A module that users import from. */
export interface PublicModule {
  readonly name: string;
  /** Path of its source from the root of the repository. */
  readonly source: string;
  /** What it says of itself. */
  readonly about: string;
  readonly exports: readonly ExportedName[];
}
export function publicApi(): PublicModule[];

/** What a module exports under a name. */
export interface ExportedName {
  readonly name: string;
  readonly comment: string;
  readonly code: string;
  readonly room: string;
}
/** A module that users import from. */
export interface PublicModule {
  readonly name: string;
  readonly exports: readonly ExportedName[];
}
export function publicApi(): PublicModule[];

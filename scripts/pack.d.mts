/** What npm tells of a package that it has packed. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}
export function pack(folder: string): Packed[];

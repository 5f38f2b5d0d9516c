import { fileURLToPath } from "node:url";

/** Returns the path of the protocol's message file in this package. */
export function protoPath(): string {
  return fileURLToPath(new URL("../inference.proto", import.meta.url));
}

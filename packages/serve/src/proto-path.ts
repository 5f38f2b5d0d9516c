import { fileURLToPath } from "node:url";

/** Returns the path of the protocol's messages, which are a file of the package. */
export function protoPath(): string {
  return fileURLToPath(new URL("../inference.proto", import.meta.url));
}

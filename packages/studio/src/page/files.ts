import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { NamedFile } from "../engine/protocol.js";

/** Fetches a file from the page's own origin. */
export async function fetchFile(path: string): Promise<NamedFile> {
  const name = decodeURIComponent(path.split("/").at(-1) ?? path);
  const url = new URL(path, document.baseURI);
  if (url.origin !== location.origin) throw new VouchError("file/missing", `${name} is not on this server.`);
  const response = await fetch(url).catch((cause: unknown) => {
    throw new Error(`${name} is not on this computer yet. Connect to the server and try again.`, { cause });
  });
  if (!response.ok) {
    throw new VouchError("file/missing", `${name} could not be loaded (${response.status}).`, {
      hint: "If vouch studio was started again, open the address that it prints.",
    });
  }
  return { name, file: await response.blob() };
}

const MODEL_START = '{"__metadata__"';

/** Checks whether a file is a model: by its name, or as a safetensors file, whose header begins after eight bytes. */
export async function isModelFile({ name, file }: NamedFile): Promise<boolean> {
  if (name.endsWith(".safetensors")) return true;
  const start = file.slice(8, 8 + MODEL_START.length);
  return (await start.text()) === MODEL_START;
}

/** Lets the user save a file. */
export function saveAs(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken the file by the next turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

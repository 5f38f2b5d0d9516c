import type { Command } from "commander";
import { FILES_LINE, type Shell, scripts } from "../completion-scripts.js";
import { completionsOf } from "../completions.js";
import { printable, type Terminal } from "../terminal.js";

/** `vouch completion SHELL`: the script that teaches a shell to complete what is typed after `vouch`. */
export function completion(shell: Shell, { out }: Terminal): void {
  out.write(scripts[shell]);
}

/** What the script asks: how the last of the words can go on, a line each, with a description after a tab. */
export async function complete(vouch: Command, words: readonly string[], { out }: Terminal): Promise<void> {
  const completions = await completionsOf(vouch, words);
  for (const { word, description } of completions.words) {
    out.write(description === "" ? `${word}\n` : `${word}\t${printable(description)}\n`);
  }
  if (completions.files) out.write(`${FILES_LINE}\n`);
}

import type { Command } from "commander";

type RequestOptions = typeof import("./request-options.js");

const deferred = new WeakMap<Command, (options: RequestOptions) => void>();

/**
 * Defers options that are fields of requests until the command is used, because their schemas would slow down `vouch
 * --help`.
 */
export function withFields(command: Command, add: (options: RequestOptions) => void): Command {
  deferred.set(command, add);
  return command;
}

/** Adds the deferred options of a command that is used or explained. */
export async function completeOptions(command: Command): Promise<void> {
  const add = deferred.get(command);
  deferred.delete(command);
  if (!add) return;
  const options = await import("./request-options.js");
  add(options);
  options.groupOptions(command);
}

/** Adds the options of commands that print a result. */
export function withPrinting(command: Command): Command {
  return withFields(command, ({ addPrinting }) => addPrinting(command));
}

/** The hidden command that completion scripts call. */
export const COMPLETE = "__complete";

const SHORT: readonly (string | undefined)[] = [undefined, "help", "completion", COMPLETE, "--version", "-V"];

/** Returns whether a command, such as help, ends faster than a thread starts. */
export function isShortCommand(args: readonly string[]): boolean {
  return SHORT.includes(args[0]) || args.includes("--help") || args.includes("-h");
}

/**
 * Returns whether a long-running command needs the main thread. A server handles signals itself, ends only after
 * answering all requests, and starts processes, which threads cannot do.
 */
export function isServer(args: readonly string[]): boolean {
  return args[0] === "serve";
}

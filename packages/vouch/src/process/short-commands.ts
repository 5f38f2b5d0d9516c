/** The hidden command that completion scripts call. */
export const COMPLETE = "__complete";

const SHORT: readonly (string | undefined)[] = [undefined, "help", "completion", COMPLETE, "--version", "-V"];

/** Tells whether a command ends at once, such as help: starting a thread for it would take longer than the command. */
export function isShortCommand(args: readonly string[]): boolean {
  return SHORT.includes(args[0]) || args.includes("--help") || args.includes("-h");
}

/**
 * Tells whether a command runs on the main thread although it does not end at once: a server hears signals itself, ends only when all
 * requests are answered, and starts processes, which threads cannot.
 */
export function isServer(args: readonly string[]): boolean {
  return args[0] === "serve";
}

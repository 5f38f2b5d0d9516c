/** The hidden command that completion scripts call. */
export const COMPLETE = "__complete";

const SHORT: readonly (string | undefined)[] = [undefined, "help", "completion", COMPLETE, "--version", "-V"];

/** Tells whether a command ends at once, such as help: starting a thread for it would take longer than the command. */
export function isShortCommand(args: readonly string[]): boolean {
  return SHORT.includes(args[0]) || args.includes("--help") || args.includes("-h");
}

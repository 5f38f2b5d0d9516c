import type { PrintingFlags } from "./program.js";
import { printable, styled, type Terminal, width, wrap } from "./terminal.js";

/** Says what the user should know about the data, on the error stream; the same thing once only. */
export function noticePrinter(flags: PrintingFlags, { err }: Terminal): (notice: string) => void {
  const said = new Set<string>();
  return (notice) => {
    if (flags.quiet || said.has(notice)) return;
    said.add(notice);
    err.write(`${styled(err, "dim", wrap(`note: ${printable(notice)}`, Math.min(width(err), 110)))}\n`);
  };
}

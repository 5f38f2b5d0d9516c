import { signFile, verifyFile } from "@vouch/core/internal/train/signature";
import type { PrintingFlags } from "../options/flags.js";
import { checkOutputs } from "../process/output-file.js";
import { printable, printJson, type Terminal, writeText } from "../process/terminal.js";

/** Flags of `vouch sign`. */
export interface SignFlags extends PrintingFlags {
  readonly key: string;
  readonly out?: string;
}

/** `vouch sign FILE --key KEY`: writes a detached signature of a file. */
export async function runSign(file: string, flags: SignFlags, terminal: Terminal): Promise<void> {
  const { key, out = `${file}.sig` } = flags;
  checkOutputs({ out }, [file, key]);
  const signature = await signFile(file, { key, signature: out });
  if (flags.json) printJson(terminal, { file, signature: out, key: signature.key });
  else {
    const signed = `${printable(file)} signed with the key ${signature.key}`;
    writeText(terminal.out, `${signed}; signature written to ${printable(out)}\n`);
  }
}

/** Flags of `vouch verify`. */
export interface VerifyFlags extends PrintingFlags {
  readonly key: string;
  readonly signature?: string;
}

/** `vouch verify FILE --key KEY`: checks the signature of a file. */
export async function runVerify(file: string, flags: VerifyFlags, terminal: Terminal): Promise<void> {
  const { key, signature = `${file}.sig` } = flags;
  const { key: signer } = await verifyFile(file, { key, signature });
  if (flags.json) printJson(terminal, { file, signature, key: signer, verified: true });
  else {
    writeText(
      terminal.out,
      `${printable(file)} is unchanged since it was signed with the key ${printable(signer)}\n`,
    );
  }
}

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from "node:crypto";
import * as z from "zod";
import { writeFileAtomic } from "../runtime/files/write-file.js";
import { VouchError } from "../runtime/vouch-error.js";
import { withFileReader } from "./read-file.js";

/**
 * Detached signatures of files. The digest in a model file detects damage, but anyone who changes a file on purpose can
 * compute a new digest; a signature needs the private key. Ed25519 signs the text
 *
 *     vouch-signature-1
 *     SHA-512 of the file, as 128 hexadecimal digits
 *
 * with a line feed after each line, so that a signature of a file is never valid for something else.
 */
const CONTEXT = "vouch-signature-1";

/** Bytes of a file to hash at a time. */
const BLOCK_BYTES = 1 << 22;

/** Maximum size of a signature file, which is a few hundred bytes. */
const MAX_SIGNATURE_BYTES = 10_000;

const signatureSchema = z.strictObject({
  format: z.literal(CONTEXT),
  algorithm: z.literal("Ed25519"),
  /** Identifies the key: the first 16 hexadecimal digits of the SHA-256 of its public half (SPKI, DER). */
  key: z.string().regex(/^[0-9a-f]{16}$/),
  /** Base64. */
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
});

/** Content of a signature file, as JSON. */
export type FileSignature = z.output<typeof signatureSchema>;

/** Paths of the key and the signature of a file. */
export interface SignatureFiles {
  /** An Ed25519 key in PEM: private for signing, public for verifying. */
  readonly key: string;
  /** The signature file; by default the file's path plus `.sig`. */
  readonly signature?: string;
}

/** Signs a file of any kind and size, such as a model or a report; writes a small signature file. */
export async function signFile(path: string, files: SignatureFiles): Promise<FileSignature> {
  const key = await readKey(files.key, "private");
  const signature: FileSignature = {
    format: CONTEXT,
    algorithm: "Ed25519",
    key: keyName(createPublicKey(key)),
    signature: signBytes(null, await signedText(path), key).toString("base64"),
  };
  const text = `${JSON.stringify(signature, undefined, 2)}\n`;
  await writeFileAtomic(signaturePath(path, files), new TextEncoder().encode(text));
  return signature;
}

/** Checks that the owner of the key has signed a file; otherwise throws `file/signature`. */
export async function verifyFile(path: string, files: SignatureFiles): Promise<FileSignature> {
  const key = await readKey(files.key, "public");
  const stored = await readSignature(signaturePath(path, files));
  if (stored.key !== keyName(key)) {
    throw new VouchError(
      "file/signature",
      `${path} was signed with the key ${stored.key}, but ${files.key} is the key ${keyName(key)}.`,
      { hint: "Use the public key of the person who signed the file." },
    );
  }
  if (!verifyBytes(null, await signedText(path), key, Buffer.from(stored.signature, "base64"))) {
    throw new VouchError("file/signature", `${path} is not the file that was signed.`, {
      hint: "It was changed after it was signed, or the signature belongs to another file. Do not use it.",
    });
  }
  return stored;
}

function signaturePath(path: string, { signature = `${path}.sig` }: SignatureFiles): string {
  return signature;
}

async function signedText(path: string): Promise<Uint8Array> {
  const digest = await withFileReader(path, async (reader) => {
    const hash = createHash("sha512");
    let rest = reader.length;
    do {
      const block = await reader.next(Math.min(BLOCK_BYTES, rest));
      hash.update(new Uint8Array(block));
      rest -= block.byteLength;
    } while (rest > 0);
    return hash.digest("hex");
  });
  return new TextEncoder().encode(`${CONTEXT}\n${digest}\n`);
}

async function readSignature(path: string): Promise<FileSignature> {
  const text = await readSmall(path, "a signature");
  try {
    return signatureSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new VouchError("file/signature", `${path} is not a signature of a file.`, {
      hint: "Use a file that `vouch sign` wrote.",
      cause,
    });
  }
}

async function readKey(path: string, type: "private" | "public"): Promise<KeyObject> {
  const pem = await readSmall(path, "a key");
  const key = parseKey(path, pem, type);
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new VouchError("file/format", `${path} has a key for ${key.asymmetricKeyType}, not for Ed25519.`, {
    hint: KEY_HINT,
  });
}

const KEY_HINT = "Make one with `openssl genpkey -algorithm ed25519 -out key.pem`.";

function parseKey(path: string, pem: string, type: "private" | "public"): KeyObject {
  // Node derives the public key from a private one, but verification should never need a private key.
  const isPrivate = pem.includes("PRIVATE KEY-----");
  if (isPrivate && type === "public") {
    throw new VouchError(
      "file/format",
      `${path} is a private key; a signature is verified by the public one.`,
      {
        hint: `Extract it with \`openssl pkey -in ${path} -pubout -out public.pem\`.`,
      },
    );
  }
  try {
    return type === "private" ? createPrivateKey(pem) : createPublicKey(pem);
  } catch (cause) {
    const encrypted = pem.includes("ENCRYPTED");
    throw new VouchError(
      "file/format",
      encrypted ? `The key ${path} is encrypted.` : `${path} is not a ${type} key in PEM format.`,
      { hint: encrypted ? `Decrypt it with \`openssl pkey -in ${path}\`.` : KEY_HINT, cause },
    );
  }
}

function keyName(publicKey: KeyObject): string {
  const der = publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("hex").slice(0, 16);
}

async function readSmall(path: string, what: string): Promise<string> {
  return withFileReader(path, async (reader) => {
    if (reader.length > MAX_SIGNATURE_BYTES) {
      throw new VouchError("file/format", `${path} is too large for ${what}.`);
    }
    return new TextDecoder().decode(await reader.next(reader.length));
  });
}

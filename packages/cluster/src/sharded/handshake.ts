import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** First bytes of a connection between shards. */
const MAGIC = Buffer.from("vouchsh1");

const NONCE = 16;
const PROOF = 32;

/** Time limit of the handshake, in milliseconds. */
const WITHIN = 5000;

/** Shared knowledge of both sides. */
export interface Credentials {
  readonly run: string;
  /** A random secret that only shards of the run can read. */
  readonly secret: Buffer;
}

/**
 * Proves to the accepting shard that this one belongs to the run, and verifies the other side. The secret itself is not
 * sent.
 */
export async function introduce(
  socket: Socket,
  own: number,
  other: number,
  known: Credentials,
): Promise<void> {
  await inTime(socket, async () => {
    const nonce = randomBytes(NONCE);
    const number = Buffer.alloc(4);
    number.writeUInt32LE(own);
    socket.write(Buffer.concat([MAGIC, number, nonce]));
    const answer = await readExactly(socket, NONCE + PROOF);
    const nonces = Buffer.concat([nonce, answer.subarray(0, NONCE)]);
    const ends = { caller: own, called: other, nonces };
    if (!timingSafeEqual(answer.subarray(NONCE), proof("called", ends, known))) throw stranger();
    socket.write(proof("caller", ends, known));
  });
}

/** Identifies the shard that has connected, among those expected. Throws if the other side does not know the secret. */
export async function welcome(
  socket: Socket,
  own: number,
  isExpected: (shard: number) => boolean,
  known: Credentials,
): Promise<number> {
  return inTime(socket, async () => {
    const greeting = await readExactly(socket, MAGIC.length + 4 + NONCE);
    const caller = greeting.readUInt32LE(MAGIC.length);
    if (!greeting.subarray(0, MAGIC.length).equals(MAGIC) || !isExpected(caller)) throw stranger();
    const nonce = randomBytes(NONCE);
    const nonces = Buffer.concat([greeting.subarray(MAGIC.length + 4), nonce]);
    const ends = { caller, called: own, nonces };
    socket.write(Buffer.concat([nonce, proof("called", ends, known)]));
    const answer = await readExactly(socket, PROOF);
    if (!timingSafeEqual(answer, proof("caller", ends, known)) || !isExpected(caller)) throw stranger();
    return caller;
  });
}

interface Ends {
  readonly caller: number;
  readonly called: number;
  readonly nonces: Buffer;
}

function proof(side: "caller" | "called", { caller, called, nonces }: Ends, known: Credentials): Buffer {
  return createHmac("sha256", known.secret)
    .update(JSON.stringify([side, known.run, caller, called]))
    .update(nonces)
    .digest();
}

function stranger(): VouchError {
  return new VouchError("cluster/denied", "The other side of a connection is not a shard of this run.");
}

/** Ends the connection if the work takes too long or fails. */
async function inTime<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => socket.destroy(), WITHIN);
  try {
    return await work();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads exactly `length` bytes and leaves the rest in the stream. */
function readExactly(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      socket.off("readable", look).off("close", onClose);
      settle();
    };
    const look = () => {
      const bytes: unknown = socket.read(length);
      if (Buffer.isBuffer(bytes) && bytes.length === length) end(() => resolve(bytes));
      else if (bytes !== null) onClose();
    };
    const onClose = () => end(() => reject(stranger()));
    socket.on("readable", look).on("close", onClose);
    if (socket.destroyed) onClose();
    else look();
  });
}

import { connect as connectTo, createServer, type Server, type Socket } from "node:net";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { FrameReader, frameHeader } from "./frames.js";
import { type Credentials, introduce, welcome } from "./handshake.js";
import { type Receiver, readerOf, type Transport, writerOf } from "./transport.js";

/** Keys of the messages about a failure and about the end of a shard. */
const FAILURE = "!failed";
const GOODBYE = "!goodbye";

/** Maximum number of connections that are not authenticated yet. */
const MOST_STRANGERS = 32;

/** Number of connection attempts, and the first delay in milliseconds; delays increase. */
const ATTEMPTS = 5;
const PAUSE = 200;

/** Milliseconds without traffic after which a connection is probed. */
const KEEP_ALIVE = 10_000;

/** Milliseconds for the last bytes of a closed transport to leave. */
const LINGER = 2000;

/** Where a shard can be reached. */
export interface ShardAddress {
  readonly host: string;
  readonly port: number;
}

interface DirectPostOptions extends Credentials {
  /** Listening address, to which other shards connect. */
  readonly host: string;
  readonly shard: number;
  readonly shards: number;
  readonly receiver: Receiver;
}

/** Another shard, connected or not. */
interface Peer {
  readonly connected: Promise<Socket>;
  resolve(socket: Socket): void;
  reject(error: Error): void;
  socket: Socket | undefined;
}

/**
 * Sends messages between shards over one TCP connection per pair. The shard with the higher number connects. Both sides
 * prove that they know the run's secret before anything else is read. Traffic is not encrypted.
 */
export class TcpTransport implements Transport {
  readonly #options: DirectPostOptions;
  readonly #server: Server;
  readonly #peers: readonly Peer[];
  #closed = false;

  private constructor(options: DirectPostOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.#peers = Array.from({ length: options.shards }, () => newPeer());
    server.on("connection", (socket: Socket) => void this.#accept(socket));
  }

  /** Listens on a free port. */
  static async listen(options: DirectPostOptions): Promise<TcpTransport> {
    const server = createServer({ noDelay: true });
    server.maxConnections = options.shards + MOST_STRANGERS;
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause: Error) =>
        reject(
          new VouchError(
            "task/failed",
            `Shard ${options.shard + 1} cannot listen on ${options.host}: ${cause.message}.`,
            {
              hint: "Give an address of this machine as the host, or let shards talk through Redis.",
              cause,
            },
          ),
        ),
      );
      server.listen({ host: options.host, port: 0 }, resolve);
    });
    server.on("error", () => {});
    return new TcpTransport(options, server);
  }

  get isComplete(): boolean {
    return this.#peers.every(({ socket }, other) => socket !== undefined || other === this.#options.shard);
  }

  get address(): ShardAddress {
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new TypeError("The shard does not listen.");
    return { host: this.#options.host, port: address.port };
  }

  /** Connects to another shard, if it is this shard's turn to do so. */
  async meet(other: number, address: ShardAddress): Promise<void> {
    const { shard, receiver } = this.#options;
    if (other >= shard) return;
    let why = "";
    for (let attempt = 0; attempt < ATTEMPTS && !this.#closed; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, attempt * PAUSE));
      try {
        const socket = await connected(address);
        await introduce(socket, shard, other, this.#options);
        this.#join(other, socket);
        return;
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
      }
    }
    if (this.#closed) return;
    receiver.broken(
      new VouchError(
        "task/failed",
        `Shard ${shard + 1} cannot connect to shard ${other + 1} at ${address.host}:${address.port}: ${why}`,
        {
          hint: "Each shard must announce an address that all other shards can reach (host). Where there is none, let shards talk through Redis.",
        },
      ),
    );
  }

  async send(to: number, key: string, bytes: Uint8Array): Promise<void> {
    const header = frameHeader(key, bytes.length);
    const peer = this.#peers[to];
    const socket = peer.socket ?? (await peer.connected);
    await written(socket, header, bytes);
  }

  async tell(failure: string): Promise<void> {
    await this.#toAll(FAILURE, new TextEncoder().encode(failure));
  }

  abandon(error: Error): void {
    for (const peer of this.#peers) peer.reject(error);
  }

  async close(): Promise<void> {
    if (!this.#closed) await this.#toAll(GOODBYE, new Uint8Array(0));
    this.#closed = true;
    this.#server.close();
    await Promise.all(
      this.#peers.flatMap(({ socket }) => {
        if (!socket || socket.destroyed) return [];
        return new Promise<void>((resolve) => {
          const timer = setTimeout(() => socket.destroy(), LINGER);
          socket.once("close", () => {
            clearTimeout(timer);
            resolve();
          });
          socket.end();
        });
      }),
    );
  }

  async #toAll(key: string, bytes: Uint8Array): Promise<void> {
    const sockets = this.#peers.flatMap(({ socket }) => (socket && !socket.destroyed ? [socket] : []));
    await Promise.allSettled(sockets.map((socket) => written(socket, frameHeader(key, bytes.length), bytes)));
  }

  async #accept(socket: Socket): Promise<void> {
    socket.on("error", () => {});
    const { shard, shards } = this.#options;
    const isExpected = (other: number) => other > shard && other < shards && !this.#peers[other].socket;
    try {
      this.#join(await welcome(socket, shard, isExpected, this.#options), socket);
    } catch {
      socket.destroy();
    }
  }

  #join(other: number, socket: Socket): void {
    const { receiver } = this.#options;
    const peer = this.#peers[other];
    if (this.#closed || peer.socket) {
      socket.destroy();
      return;
    }
    peer.socket = socket;
    let why = "has ended: its connection is closed";
    const reader = new FrameReader((key, bytes) => {
      if (key === GOODBYE) why = "has finished";
      else if (key === FAILURE) receiver.failed(other, new TextDecoder().decode(bytes));
      else this.#deliver(other, key, bytes);
    });
    socket.setKeepAlive(true, KEEP_ALIVE);
    socket.on("data", (piece: Buffer) => {
      try {
        reader.read(piece);
      } catch (error) {
        if (error instanceof Error) receiver.broken(error);
        socket.destroy();
      }
    });
    socket.on("close", () => receiver.ended(other, why));
    peer.resolve(socket);
    if (socket.destroyed) receiver.ended(other, why);
  }

  #deliver(other: number, key: string, bytes: Uint8Array): void {
    const { shard, receiver } = this.#options;
    if (writerOf(key) !== other || readerOf(key) !== shard) {
      throw new VouchError(
        "cluster/malformed",
        `Shard ${other + 1} has sent a message that is not for shard ${shard + 1}.`,
      );
    }
    receiver.deliver(key, bytes);
  }
}

function newPeer(): Peer {
  const { promise, resolve, reject } = settleable<Socket>();
  // Callers that wait get the failure.
  promise.catch(() => {});
  return { connected: promise, resolve, reject, socket: undefined };
}

function settleable<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

function connected({ host, port }: ShardAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTo({ host, port, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** Writes a message; resolves when the operating system has accepted it. Shared memory is not copied. */
function written(socket: Socket, header: Buffer, bytes: Uint8Array): Promise<void> {
  const { buffer, byteOffset, length } = bytes;
  // Unshared memory may move when it grows.
  const content =
    buffer instanceof ArrayBuffer ? Buffer.from(bytes) : Buffer.from(buffer, byteOffset, length);
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    socket.cork();
    socket.write(header);
    socket.write(content, done);
    socket.uncork();
  });
}

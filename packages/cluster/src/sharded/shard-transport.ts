import type { Exchange } from "@vouch/core/internal/runtime/shards/exchange";
import { Inbox } from "@vouch/core/internal/runtime/shards/inbox";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { connectRedis } from "../connect.js";
import { redisAddress } from "../redis-address.js";
import { endConnection, type RedisConnection } from "../redis-connection.js";
import { tidyUp } from "../time-limit.js";
import { RedisTransport } from "./redis-transport.js";
import { Rendezvous } from "./rendezvous.js";
import { type ShardAddress, TcpTransport } from "./tcp-transport.js";
import { type Receiver, readerOf, type Transport, writerOf } from "./transport.js";

/** Default time without a heartbeat, in milliseconds, after which a shard counts as dead. */
const SILENCE = 10_000;

/** Default time for all shards to join, in milliseconds. */
const JOIN = 120_000;

/** Attempts at a command while Redis is away. */
const ATTEMPTS = 3;

/** Options of `ShardTransport.open`. */
export interface ShardTransportOptions {
  readonly url: string;
  /** Name of the run, shared by all its shards and used by no other run. */
  readonly run: string;
  readonly shard: number;
  readonly shards: number;
  /** Milliseconds for all shards to join; default two minutes. */
  readonly join?: number;
  /** Milliseconds without a heartbeat after which a shard counts as dead; default ten seconds. */
  readonly silence?: number;
  /**
   * `direct` uses unencrypted connections between shards, `redis` the Redis server. The default is `direct`, or `redis`
   * if the server uses TLS (`rediss://…`).
   */
  readonly connect?: "direct" | "redis";
  /** Address to listen on for direct connections; default: the local address of the connection to Redis. */
  readonly host?: string;
}

/**
 * The mailbox of a shard: sends messages to other shards, and keeps received messages until they are read. Shards send
 * heartbeats, so that waiting for a dead shard ends in an error. Keys end with `FROM-TO`, the numbers of two shards.
 */
export class ShardTransport implements Exchange {
  readonly #redis: RedisConnection;
  readonly #inbox: Inbox;
  readonly #meeting: Rendezvous;
  readonly #post: Transport;
  readonly #ended: ReadonlyMap<number, Error>;

  private constructor(parts: Parts) {
    this.#redis = parts.redis;
    this.#inbox = parts.inbox;
    this.#meeting = parts.meeting;
    this.#post = parts.post;
    this.#ended = parts.ended;
  }

  /** Connects to Redis and opens the mailbox of a shard. Throws if another process has opened it. */
  static async open(options: ShardTransportOptions): Promise<ShardTransport> {
    const { url, run, shard, shards, join = JOIN, silence = SILENCE } = options;
    const address = redisAddress(url);
    const { connect = address.tls ? "redis" : "direct" } = options;
    const redis = await connectRedis(address, { name: `vouch-shard-${shard}`, attempts: ATTEMPTS });
    const host = options.host ?? localAddress(redis);
    const inbox = new Inbox();
    const meeting = new Rendezvous({ redis, run, shard, shards, join, silence });
    const ended = new Map<number, Error>();
    const receiver = receiverFor(inbox, ended, () => post);
    let post: Transport | undefined;
    try {
      const direct =
        connect === "direct"
          ? await TcpTransport.listen({ host, run, shard, shards, secret: await meeting.secret(), receiver })
          : undefined;
      const inboxOf = (other: number) => meeting.key("inbox", other);
      post = direct ?? new RedisTransport({ redis, shard, shards, inbox: inboxOf, receiver });
      await meeting.join(direct?.address, {
        joined: (other, reached) => meet(direct, { shard, other, reached }, receiver),
        silent: (other, why) => {
          // Processes that do not wait for this shard need not know.
          if (inbox.awaited().some((key) => writerOf(key) === other)) receiver.broken(death(other, why));
        },
        failed: receiver.failed,
        // Connected shards do not need Redis.
        broken: (error) => {
          if (!(direct?.isComplete && error instanceof VouchError && error.code === "task/failed"))
            receiver.broken(error);
        },
      });
      return new ShardTransport({ redis, inbox, meeting, post, ended });
    } catch (error) {
      await tidyUp(redis, () => Promise.all([post?.close(), meeting.close()]));
      endConnection(redis);
      throw error;
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#inbox.failure) throw this.#inbox.failure;
    const to = readerOf(key);
    try {
      await this.#post.send(to, key, bytes);
    } catch (error) {
      if (error instanceof VouchError) throw error;
      throw this.#inbox.failure ?? this.#ended.get(to) ?? death(to, "has ended: its connection is closed");
    }
  }

  get(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = this.#inbox.take(key, signal);
    const error = this.#ended.get(writerOf(key));
    if (error && this.#inbox.awaits(key)) this.#inbox.refuse(key, error);
    return bytes;
  }

  /** Tells all other shards that this one has failed, so that they stop at once. */
  async fail(error: unknown): Promise<void> {
    const text = error instanceof Error ? error.message : String(error);
    await tidyUp(this.#redis, () => Promise.all([this.#post.tell(text), this.#meeting.tell(text)]));
  }

  /** Closes the mailbox and removes it from Redis. */
  async close(): Promise<void> {
    await tidyUp(this.#redis, () => Promise.all([this.#post.close(), this.#meeting.close()]));
    endConnection(this.#redis);
  }
}

interface Parts {
  readonly redis: RedisConnection;
  readonly inbox: Inbox;
  readonly meeting: Rendezvous;
  readonly post: Transport;
  /** Shards that will send no more messages. */
  readonly ended: ReadonlyMap<number, Error>;
}

/** Puts received messages into an inbox; the first failure ends all waits. */
function receiverFor(inbox: Inbox, ended: Map<number, Error>, post: () => Transport | undefined): Receiver {
  const broken = (error: Error) => {
    inbox.fail(error);
    post()?.abandon(inbox.failure ?? error);
  };
  return {
    deliver: (key, bytes) => inbox.deliver(key, bytes),
    failed: (shard, why) => broken(new VouchError("task/failed", `Shard ${shard + 1} has failed: ${why}`)),
    ended: (shard, why) => {
      const error = death(shard, why);
      ended.set(shard, error);
      if (inbox.awaited().some((key) => writerOf(key) === shard)) broken(error);
    },
    broken,
  };
}

/** Connects to a shard that has joined. */
function meet(
  direct: TcpTransport | undefined,
  { shard, other, reached }: { shard: number; other: number; reached: ShardAddress | undefined },
  receiver: Receiver,
): void {
  if ((reached === undefined) !== (direct === undefined)) {
    const [one, two] = direct ? ["directly", "through Redis"] : ["through Redis", "directly"];
    receiver.broken(
      new VouchError(
        "option/invalid",
        `Shard ${shard + 1} sends messages ${one}, and shard ${other + 1} ${two}.`,
        {
          hint: "Start all shards of a run with the same options.",
        },
      ),
    );
  } else if (direct && reached) void direct.meet(other, reached);
}

function death(shard: number, why: string): VouchError {
  return new VouchError("task/worker-died", `Shard ${shard + 1} ${why}.`, {
    hint: "Check why that process ended (out of memory?), then train again.",
  });
}

/** Returns the local address of the connection to Redis. */
function localAddress({ stream }: RedisConnection): string {
  const address = "localAddress" in stream ? stream.localAddress : undefined;
  return (address ?? "127.0.0.1").replace(/^::ffff:/, "");
}

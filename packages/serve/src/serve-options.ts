import type { ServeLimits } from "./limits.js";

/** Options of `serve`. */
export interface ServeOptions {
  /** Model files, and folders with NAME.safetensors or NAME/VERSION.safetensors. */
  readonly models: readonly string[];
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * Names by which clients reach the server, such as the public name of a proxy. It also answers to its IP addresses,
   * to `localhost` and to `host`. If it listens for other computers, it also answers to names without a dot.
   */
  readonly hostNames?: readonly string[] | undefined;
  /** Port for HTTP; 0 for any free port. */
  readonly port: number;
  /** Port for gRPC; without it, there is no gRPC. */
  readonly grpcPort?: number | undefined;
  /** Number of processes that answer; default 1, this process. */
  readonly workers?: number | undefined;
  /** File with client tokens, one per line; without it, everyone may use the service. */
  readonly tokenFile?: string | undefined;
  /** File with an Ed25519 public key. Only models with a matching signature file, `FILE.sig`, are served. */
  readonly requireSignature?: string | undefined;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<ServeLimits> | undefined;
  /** Folder for the state of monitors, which then survives a restart. */
  readonly state?: string | undefined;
  /** Milliseconds between two checks of the model files; default 1,000. */
  readonly reloadInterval?: number | undefined;
}

/** A running server. */
export interface RunningServer {
  /** Address for HTTP, such as http://127.0.0.1:8080. */
  readonly http: string;
  /** Host and port for gRPC; absent without gRPC. */
  readonly grpc?: string | undefined;
  /** One line about each loaded model. */
  readonly models: readonly string[];
  /** Stops accepting requests, answers pending ones, and saves the state. */
  close(): Promise<void>;
}

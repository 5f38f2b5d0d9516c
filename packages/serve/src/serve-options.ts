import type { ServeLimits } from "./limits.js";

/** Options of a server. */
export interface ServeOptions {
  /** Model files, and folders with NAME.safetensors or NAME/VERSION.safetensors. */
  readonly models: readonly string[];
  /** Address to listen on; the default is 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * Names by which clients reach the server, such as the public name of a proxy. It also answers to its IP addresses, to `localhost`
   * and to `host`; if it listens for other computers, to names without a dot as well.
   */
  readonly hostNames?: readonly string[] | undefined;
  /** Port for HTTP; 0 is any free one. */
  readonly port: number;
  /** Port for gRPC; absent for a server without gRPC. */
  readonly grpcPort?: number | undefined;
  /** Number of processes that answer; the default is 1, this one. */
  readonly workers?: number | undefined;
  /** File with the tokens that clients may use, one per line; absent if everybody may use the service. */
  readonly tokenFile?: string | undefined;
  /** File with an Ed25519 public key; only models with a signature by its owner beside them, `FILE.sig`, are served. */
  readonly requireSignature?: string | undefined;
  /** Limits that differ from the default ones. */
  readonly limits?: Partial<ServeLimits> | undefined;
  /** Folder for the state of monitors, which then survives a restart. */
  readonly state?: string | undefined;
  /** Milliseconds between two looks at the model files; the default is 1,000. */
  readonly reloadInterval?: number | undefined;
}

/** A server that is running. */
export interface RunningServer {
  /** Address for HTTP, such as http://127.0.0.1:8080. */
  readonly http: string;
  /** Host and port for gRPC; absent if there is none. */
  readonly grpc?: string | undefined;
  /** Lines that describe the loaded models, one each. */
  readonly models: readonly string[];
  /** Answers the requests that have come, takes no more, and saves the state. */
  close(): Promise<void>;
}

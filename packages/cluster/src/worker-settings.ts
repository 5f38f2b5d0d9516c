/** Events on a worker. */
export type WorkerEvent =
  | { readonly kind: "started"; readonly task: string; readonly run: string; readonly index: number }
  | {
      readonly kind: "done";
      readonly task: string;
      readonly run: string;
      readonly index: number;
      readonly seconds: number;
      readonly fetched: number;
      readonly sent: number;
    }
  | {
      readonly kind: "failed";
      readonly task: string;
      readonly run: string;
      readonly index: number;
      readonly message: string;
      readonly final: boolean;
    }
  | { readonly kind: "cancelled"; readonly task: string; readonly run: string; readonly index: number }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "away" | "back" };

/** Settings of `startWorker`. */
export interface WorkerSettings {
  readonly url: string;
  /** Number of threads; by default all of the machine. */
  readonly threads?: number;
  /** Location of blobs: a folder, `s3://…`, or by default Redis itself. */
  readonly blobs?: string;
  /** Size of the blob cache in bytes; by default a quarter of the memory limit, at most 2 GiB. */
  readonly cacheBytes?: number;
  /** IDs of the tasks that it runs; by default all tasks of the library. */
  readonly tasks?: readonly string[];
  /** Script of threads, which calls `serveJobs` with these tasks. */
  readonly script?: URL;
  /** Milliseconds without a heartbeat after which its jobs go to other workers; default 5,000. */
  readonly lock?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** What happens on a worker. */
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

/** How to run a worker. */
export interface WorkerSettings {
  /** The address of Redis. */
  readonly url: string;
  /** Number of threads; the default is all of the machine. */
  readonly threads?: number;
  /** Where blobs are: a folder, `s3://…`, or Redis itself if absent. */
  readonly blobs?: string;
  /** Bytes of blobs to keep in memory; the default is a quarter of the memory limit, at most 2 GiB. */
  readonly cacheBytes?: number;
  /** Ids of the tasks that it runs; the default is those of the library. */
  readonly tasks?: readonly string[];
  /** The script of threads, which calls `serveJobs` with these tasks. */
  readonly script?: URL;
  /** Milliseconds without a sign of life after which its jobs are given to other workers; 5,000 by default. */
  readonly lock?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** Messages to the thread of a job: `run` one at a time. */
export type ToJob =
  | {
      readonly kind: "run";
      readonly task: string;
      readonly input: unknown;
      /** Threads that the task may start; 1 for none. */
      readonly threads: number;
      /** The memory limit of the process, in bytes. */
      readonly memoryLimit: number;
    }
  | { readonly kind: "cancel" };

/** Messages of the thread of a job. */
export type FromJob =
  | { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined }
  | { readonly kind: "done"; readonly output: unknown }
  | {
      readonly kind: "failed";
      readonly code: string | undefined;
      readonly message: string;
      readonly hint: string | undefined;
    };

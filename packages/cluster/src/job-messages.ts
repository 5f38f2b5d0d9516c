/** Messages to the thread of a job; one `run` at a time. */
export type ToJob =
  | {
      readonly kind: "run";
      readonly task: string;
      readonly input: unknown;
      /** Number of threads that the task may use; 1 means its own only. */
      readonly threads: number;
      /** Memory limit of the process, in bytes. */
      readonly memoryLimit: number;
    }
  | { readonly kind: "cancel" };

/** Messages from the thread of a job. */
export type FromJob =
  | { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined }
  | { readonly kind: "done"; readonly output: unknown }
  | {
      readonly kind: "failed";
      readonly code: string | undefined;
      readonly message: string;
      readonly hint: string | undefined;
    };

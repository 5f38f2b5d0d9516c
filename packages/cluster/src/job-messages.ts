/** Messages to the thread of a job: `run` one at a time; answers of an exchange at any time. */
export type ToJob =
  | {
      readonly kind: "run";
      readonly task: string;
      readonly input: unknown;
      /** Threads that the task may start; 1 for none. */
      readonly threads: number;
      readonly exchange: boolean;
      /** The memory limit of the process, in bytes. */
      readonly memoryLimit: number;
    }
  | { readonly kind: "cancel" }
  | {
      readonly kind: "exchanged";
      readonly call: number;
      readonly bytes?: Uint8Array;
      readonly error?: string;
    };

/** Messages of the thread of a job. */
export type FromJob =
  | { readonly kind: "progress"; readonly fraction: number; readonly note: string | undefined }
  | { readonly kind: "done"; readonly output: unknown }
  | {
      readonly kind: "failed";
      readonly code: string | undefined;
      readonly message: string;
      readonly hint: string | undefined;
    }
  | { readonly kind: "put"; readonly call: number; readonly key: string; readonly bytes: Uint8Array }
  | { readonly kind: "get"; readonly call: number; readonly key: string };

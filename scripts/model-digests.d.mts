/** SHA-256 of a model file, and of its predictions after saving and loading. */
export interface ModelDigests {
  readonly model: string;
  readonly predictions: string;
}
/** What to train; by default every learner with the seeds 1 and 2, on 1 and on 3 threads. */
export interface DigestOptions {
  readonly learners?: readonly string[];
  readonly seeds?: readonly number[];
  readonly threads?: readonly number[];
}
export function sha256(content: string | Uint8Array): string;
export function modelDigests(options?: DigestOptions): Promise<Record<string, ModelDigests>>;

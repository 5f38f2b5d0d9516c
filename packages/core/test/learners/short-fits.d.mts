import type { Executor } from "vouch";

type Options = Readonly<Record<string, unknown>>;

export declare const QUICK_OPTIONS: Readonly<Record<string, Options>>;
export declare function shortOptions(learner: string): Options;
export declare function sendingAll(pool: Executor): Executor;

/**
 * Property-based tests draw the same cases in every run, so that a failure is the fault of a change. `VOUCH_FUZZ_SEED=N` draws others;
 * `VOUCH_FUZZ_SEED=random` fresh ones each time.
 */
import fc from "fast-check";

const seed = process.env.VOUCH_FUZZ_SEED ?? "1";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });

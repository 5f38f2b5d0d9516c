/** Files of each kind that are read: 300 in `npm test`, or VOUCH_FUZZ_TRIES. */
export const TRIES = Number(process.env.VOUCH_FUZZ_TRIES ?? 300);

const seed = process.env.VOUCH_FUZZ_SEED ?? "1";

/** The seed of the first file: VOUCH_FUZZ_SEED, which may be "random". */
export const FIRST_SEED = seed === "random" ? Math.floor(Math.random() * 2 ** 24) : Number(seed) * 2 ** 20;

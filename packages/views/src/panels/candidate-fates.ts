/** What became of a candidate of a race, in words. */
export const fateWords = {
  finished: "finished",
  behind: "behind",
  slow: "out of time",
  failed: "failed",
  "not tried": "not tried",
} as const;

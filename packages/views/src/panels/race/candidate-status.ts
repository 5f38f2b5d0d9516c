/** What became of a candidate of a race, in words. */
export const statusNames = {
  finished: "finished",
  behind: "behind",
  slow: "out of time",
  failed: "failed",
  "not tried": "not tried",
} as const;

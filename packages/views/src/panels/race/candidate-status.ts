/** Status of a candidate, in words. */
export const statusNames = {
  finished: "finished",
  behind: "behind",
  slow: "out of time",
  failed: "failed",
  "not tried": "not tried",
} as const;

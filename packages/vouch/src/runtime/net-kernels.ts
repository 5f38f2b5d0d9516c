/** Bytes for each row that `netUpdate` needs besides its arguments. */
export const UPDATE_SCRATCH = 128;

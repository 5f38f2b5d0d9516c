import { expect } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";

/** The `VouchError` that the work throws; a failed expectation if it throws anything else or nothing. */
export function fault(work: () => unknown): VouchError {
  try {
    work();
  } catch (error) {
    if (error instanceof VouchError) return error;
    throw error;
  }
  return expect.fail("No error was thrown.");
}

import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { inAPage } from "./advice.js";
import type { Fault } from "./protocol.js";

/** Errors of a browser that cannot read a file: it was changed, moved or removed after it was chosen. */
const UNREADABLE: readonly string[] = ["NotReadableError", "NotFoundError"];

/** Converts anything thrown into a fault for the page. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof VouchError) {
    const { message, hint, code } = thrown;
    return { message: inAPage(message), hint: hint && inAPage(hint), stopped: code === "run/interrupted" };
  }
  if (thrown instanceof DOMException && UNREADABLE.includes(thrown.name)) {
    return {
      message: "The file can no longer be read.",
      hint: "It was changed, moved or deleted since it was chosen: choose it again.",
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { message: `Something went wrong: ${message}` };
}

import { describe, expect, it } from "vitest";
import { VouchError } from "vouch";
import { toFault } from "#studio/engine/fault.js";

describe("a fault", () => {
  it("keeps message and advice, and tells what the user has stopped", () => {
    const error = new VouchError("data/empty", "a.csv is empty.", { hint: "Check it." });
    expect(toFault(error)).toEqual({ message: "a.csv is empty.", hint: "Check it.", stopped: false });
    expect(toFault(new VouchError("run/interrupted", "Stopped."))).toMatchObject({ stopped: true });
  });

  it("says what to do about a file that the browser cannot read", () => {
    const { message, hint } = toFault(new DOMException("permission problems", "NotReadableError"));
    expect(message).toContain("can no longer be read");
    expect(hint).toContain("choose it again");
  });
});

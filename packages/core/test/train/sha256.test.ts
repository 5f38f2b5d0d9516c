import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256Digest } from "#core/train/sha256.js";

it("computes the digests of Node, for messages around the ends of blocks", () => {
  for (const length of [0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000, 100_003]) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 131 + length) % 251);
    expect(Buffer.from(sha256Digest(message)).toString("hex")).toBe(
      createHash("sha256").update(message).digest("hex"),
    );
  }
});

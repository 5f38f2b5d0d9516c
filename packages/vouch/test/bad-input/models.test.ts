import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

beforeAll(async () => {
  desk.file("flowers.csv", flowersCsv(100));
  await desk.print(["train", "flowers.csv", "--learner", "stump", "--out", "good.st"]);
});

/** The model file with its description changed, and with the length and the checksum that then are right. */
function forged(change: (description: Record<string, unknown>) => void): Buffer {
  const file = desk.bytes("good.st");
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString("utf8", 8, 8 + headerLength));
  const description = JSON.parse(header.__metadata__.vouch);
  change(description);
  header.__metadata__.vouch = JSON.stringify(description);
  header.__metadata__.sha256 = "0".repeat(64);
  const text = JSON.stringify(header);
  const padded = Buffer.from(text + " ".repeat((8 - (Buffer.byteLength(text) % 8)) % 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const bytes = Buffer.concat([length, padded, file.subarray(8 + headerLength)]);
  const digest = createHash("sha256").update(bytes).digest("hex");
  bytes.write(digest, bytes.indexOf("0".repeat(64)));
  return bytes;
}

/** The error that a model file gives. */
const faultOf = (model: string) => desk.fault(1, ["inspect", model]);

describe.concurrent("model files that cannot be used", () => {
  it("are forged by these tests in a way that is accepted when nothing is wrong", async () => {
    desk.file(
      "forged.st",
      forged(() => {}),
    );
    expect(await desk.print(["inspect", "forged.st"])).toBe(await desk.print(["inspect", "good.st"]));
  });

  it("from a newer version", async () => {
    const newer = forged((description) => {
      description.format = 99;
    });
    expect(await faultOf(desk.file("newer.st", newer))).toMatch(
      /newer\.st: The model was written by a newer vouch \(format 99, this one reads up to \d+\)\. Update vouch\./,
    );
  });

  it("truncated", async () => {
    const good = desk.bytes("good.st");
    for (const length of [0, 5, 300, good.length - 1]) {
      const name = desk.file(`cut-${length}.st`, good.subarray(0, length));
      const error = await faultOf(name);
      expect(error).toContain(`error: ${name}: `);
      expect(error).toContain("The file is damaged");
    }
  });

  it("with a flipped bit", async () => {
    const flipped = Buffer.from(desk.bytes("good.st"));
    flipped[flipped.length - 3] ^= 4;
    desk.file("flipped.st", flipped);
    const uses = [
      ["predict", "flipped.st", "flowers.csv"],
      ["evaluate", "flipped.st", "flowers.csv"],
      ["certify", "flipped.st"],
      ["inspect", "flipped.st"],
    ];
    for (const error of await Promise.all(uses.map((args) => desk.fault(1, args)))) {
      expect(error).toContain("flipped.st: The checksum of the file does not match its content.");
    }
  });

  it("of something else", async () => {
    expect(await faultOf("flowers.csv")).toContain("flowers.csv: The file is not a vouch model");
    expect(await faultOf("nothing.st")).toContain("nothing.st does not exist.");
    expect(await faultOf("./godo.st")).toContain('Did you mean "good.st"?');
    expect(await faultOf(".")).toContain(". is a directory, not a file.");
  });

  it("of a learner that is not known", async () => {
    const strange = forged((description) => {
      Object.assign(description, { card: { ...Object(description.card), learner: "oracle" } });
    });
    expect(await faultOf(desk.file("strange.st", strange))).toContain(
      'strange.st: The model was made by the unknown learner "oracle".',
    );
  });

  it("nor is a bound without evidence a number: null in JSON, no percentage in text", async () => {
    const unseen = forged((description) => {
      const card = { ...Object(description.card), heldOut: { rows: 0, errors: 0 } };
      Object.assign(description, { card });
    });
    desk.file("unseen.st", unseen);
    const { certificates } = await desk.json(["certify", "unseen.st"]);
    const heldOut = certificates.filter(({ name }: { name: string }) => name.startsWith("held-out"));
    expect(heldOut).toHaveLength(2);
    for (const { value, reason } of heldOut) {
      expect(value).toBeNull();
      expect(reason).toBe("There are no held-out rows.");
    }
    const text = await desk.print(["certify", "unseen.st"]);
    expect(text).toContain("No guarantee: There are no held-out rows.");
    expect(text).not.toMatch(/NaN|undefined|null/);
  });
});

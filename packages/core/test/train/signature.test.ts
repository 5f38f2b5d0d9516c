import { createHash, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signFile, verifyFile } from "vouch/node";

let folder: string;
let model: string;
let publicKey: KeyObject;
const at = (name: string) => join(folder, name);

async function writePair(name: string): Promise<KeyObject> {
  const pair = generateKeyPairSync("ed25519");
  await writeFile(at(`${name}.pem`), pair.privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(at(`${name}.pub`), pair.publicKey.export({ type: "spki", format: "pem" }));
  return pair.publicKey;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vouch-signature-"));
  model = at("model");
  publicKey = await writePair("own");
  await writePair("other");
  await writeFile(
    model,
    Uint8Array.from({ length: 10_000_000 }, (_, i) => (i * 7919) >> 8),
  );
  await signFile(model, { key: at("own.pem") });
});
afterAll(() => rm(folder, { recursive: true }));

describe("a signature", () => {
  it("is what the documentation says, and does not change the file", async () => {
    const { signature, ...others } = JSON.parse(await readFile(`${model}.sig`, "utf8"));
    const der = publicKey.export({ type: "spki", format: "der" });
    const key = createHash("sha256").update(der).digest("hex").slice(0, 16);
    expect(others).toEqual({ format: "vouch-signature-1", algorithm: "Ed25519", key });
    const digest = createHash("sha512")
      .update(await readFile(model))
      .digest("hex");
    const text = Buffer.from(`vouch-signature-1\n${digest}\n`);
    expect(verify(null, text, publicKey, Buffer.from(signature, "base64"))).toBe(true);
    expect(await verifyFile(model, { key: at("own.pub") })).toEqual({ signature, ...others });
  });

  it("is refused once a bit of the file is changed, at the start, in the middle or at the end", async () => {
    const bytes = await readFile(model);
    for (const place of [0, 5_000_000, bytes.length - 1]) {
      bytes[place] ^= 1;
      await writeFile(at("changed"), bytes);
      bytes[place] ^= 1;
      const files = { key: at("own.pub"), signature: `${model}.sig` };
      await expect(verifyFile(at("changed"), files)).rejects.toMatchObject({
        code: "file/signature",
        message: `${at("changed")} is not the file that was signed.`,
      });
    }
  });

  it("is refused if a byte of it is changed, or if it is of another kind", async () => {
    const text = await readFile(`${model}.sig`, "utf8");
    const { signature } = JSON.parse(text);
    const swapped = signature[10] === "A" ? "B" : "A";
    const others = [
      text.replace(signature, `${signature.slice(0, 10)}${swapped}${signature.slice(11)}`),
      text.replace("Ed25519", "none"),
      text.replace("vouch-signature-1", "vouch-signature-2"),
      text.replace(signature, ""),
      "",
      "[]",
    ];
    for (const other of others) {
      await writeFile(at("other.sig"), other);
      const files = { key: at("own.pub"), signature: at("other.sig") };
      await expect(verifyFile(model, files)).rejects.toMatchObject({ code: "file/signature" });
    }
  });

  it("names the key that it was made with if another one is given", async () => {
    const { key } = JSON.parse(await readFile(`${model}.sig`, "utf8"));
    await expect(verifyFile(model, { key: at("other.pub") })).rejects.toMatchObject({
      code: "file/signature",
      message: expect.stringContaining(`was signed with the key ${key}, but`),
    });
  });

  it("also works for an empty file", async () => {
    await writeFile(at("empty"), "");
    await signFile(at("empty"), { key: at("own.pem") });
    await verifyFile(at("empty"), { key: at("own.pub") });
  });
});

describe("keys that cannot be used", () => {
  it("are named, with what to do", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(at("rsa.pem"), rsa.privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(at("text.pem"), "secret");
    const { privateKey } = generateKeyPairSync("ed25519");
    const encrypted = privateKey.export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "x",
    });
    await writeFile(at("encrypted.pem"), encrypted);
    const cases: [string, string][] = [
      ["rsa.pem", "has a key for rsa, not for Ed25519"],
      ["text.pem", "is not a private key in PEM format"],
      ["own.pub", "is not a private key in PEM format"],
      ["encrypted.pem", "is encrypted"],
      ["model", "is too large for a key"],
    ];
    for (const [name, message] of cases) {
      await expect(signFile(model, { key: at(name), signature: at("unwritten.sig") })).rejects.toMatchObject({
        code: "file/format",
        message: expect.stringContaining(message),
      });
    }
    await expect(verifyFile(model, { key: at("own.pem") })).rejects.toMatchObject({
      code: "file/format",
      message: expect.stringContaining("is a private key"),
      hint: expect.stringContaining("-pubout"),
    });
    await expect(readFile(at("unwritten.sig"))).rejects.toThrow("ENOENT");
  });
});

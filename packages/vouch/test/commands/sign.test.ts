import { generateKeyPairSync } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

beforeAll(() => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(desk.path, "private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(desk.path, "public.pem"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(join(desk.path, "report.html"), "<p>0% error</p>");
});

describe("vouch sign and verify", () => {
  it("accept a signed file, and exit with 1 once it is changed", async () => {
    expect(await desk.print(["sign", "report.html", "--key", "private.pem"])).toMatch(
      /^report\.html signed with the key [0-9a-f]{16}; signature written to report\.html\.sig\n$/,
    );
    const verify = ["verify", "report.html", "--key", "public.pem"];
    expect(await desk.print(verify)).toMatch(/^report\.html is unchanged since it was signed/);
    expect(JSON.parse(await desk.print([...verify, "--json"]))).toMatchObject({ verified: true });
    appendFileSync(join(desk.path, "report.html"), " ");
    expect(await desk.fault(1, verify)).toContain("report.html is not the file that was signed.");
  });

  it("do not overwrite the file or the key, and need a key", async () => {
    const sign = ["sign", "report.html", "--key", "private.pem", "--out"];
    for (const out of ["report.html", "private.pem"]) {
      expect(await desk.fault(2, [...sign, out])).toContain("must differ from the inputs");
    }
    expect(await desk.fault(2, ["verify", "report.html"])).toContain("--key");
    expect(await desk.fault(1, ["verify", "public.pem", "--key", "public.pem"])).toContain("public.pem.sig");
  });
});

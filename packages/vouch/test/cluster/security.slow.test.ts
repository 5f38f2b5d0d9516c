import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clusterExecutor, startWorker } from "@vouch/cluster";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineExecutor } from "vouch";
import { freePort, hasRedis, RedisServer } from "../../../cluster/test/redis-server.js";
import { Desk, flowersCsv, type Running } from "../vouch.js";

/** The line of docs/cluster.md that creates a user. */
const documented = /ACL SETUSER .*/.exec(
  readFileSync(new URL("../../../../docs/cluster.md", import.meta.url), "utf8"),
)?.[0];

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
/** A server with TLS complains that there is no certificate; one without does not know the option. */
const hasTls =
  hasRedis &&
  /tls-cert-file/.test(
    String(
      spawnSync(process.env.REDIS_SERVER ?? "redis-server", ["--port", "0", "--tls-port", "1"], {
        timeout: 5000,
      }).stdout,
    ),
  );

/** Makes an authority, and a certificate of it for 127.0.0.1, in the folder of a desk. */
function certificates(desk: Desk, authority: string, server: string): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: desk.path, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const [own, signed] = [authority, server].map((name) => ["-keyout", `${name}.key`, "-subj", `/CN=${name}`]);
  openssl("req", "-x509", ...key, ...own, "-days", "2", "-out", `${authority}.pem`);
  openssl("req", "-new", ...key, ...signed, "-out", `${server}.csr`);
  const names = desk.file(`${server}.ext`, "subjectAltName=IP:127.0.0.1\n");
  const by = ["-CA", `${authority}.pem`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
  openssl(
    "x509",
    "-req",
    "-in",
    `${server}.csr`,
    ...by,
    "-days",
    "2",
    "-extfile",
    names,
    "-out",
    `${server}.pem`,
  );
}

describe.skipIf(!hasTls || !hasOpenssl)("Redis with TLS and a user of its own", () => {
  const desk = new Desk();
  const running: Running[] = [];
  let redis: RedisServer;
  let address: string;
  let tlsPort: number;
  const trusting = { NODE_EXTRA_CA_CERTS: join(desk.path, "authority.pem") };

  beforeAll(async () => {
    certificates(desk, "authority", "server");
    certificates(desk, "stranger", "other");
    tlsPort = await freePort();
    const files = {
      "tls-cert-file": "server.pem",
      "tls-key-file": "server.key",
      "tls-ca-cert-file": "authority.pem",
    };
    redis = await RedisServer.start(
      ...["--tls-port", `${tlsPort}`, "--tls-auth-clients", "no"],
      ...Object.entries(files).flatMap(([option, file]) => [`--${option}`, join(desk.path, file)]),
    );
    await redis.with(async (admin) => {
      const [command, ...rest] = (documented ?? "").split(" ");
      expect(await admin.call(command, ...rest)).toBe("OK");
    });
    address = `rediss://team:secret@127.0.0.1:${tlsPort}`;
    desk.file("flowers.csv", flowersCsv(2000));
  });
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await redis?.stop();
  });

  it("runs a whole training for the user of docs/cluster.md, with an own authority", async () => {
    const env = { ...trusting, VOUCH_CLUSTER: address };
    const worker = desk.start(["worker", "--threads", "2"], { env });
    running.push(worker);
    await worker.said("has joined");
    const train = ["train", "flowers.csv", "--learner", "forest", "--set", "trees=60", "--out"];
    const { code, stderr } = await desk.run([...train, "sent.safetensors"], { env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/The cluster ran \d+ tasks? on 1 worker/)]);
    await desk.print([...train, "own.safetensors", "--quiet"]);
    expect(desk.bytes("sent.safetensors").equals(desk.bytes("own.safetensors"))).toBe(true);
    worker.child.kill("SIGINT");
    const ended = await worker.outcome;
    expect(ended.stderr).toMatch(/^[1-9]\d* tasks? done, 0 failed/m);
    // No remark of Node or ioredis: about names of servers, or commands that are not allowed.
    expect(`${stderr}${ended.stderr}`).not.toMatch(/warning|NOPERM/i);
    expect(await redis.keys()).toEqual([]);
    // Nothing that the user was refused, for the whole run.
    expect(await redis.with((admin) => admin.call("ACL", "LOG"))).toEqual([]);
  });

  it("keeps the user from other keys, channels and commands", async () => {
    const user = new Redis(redis.port, "127.0.0.1", { username: "team", password: "secret" });
    const commands = [
      ["SET", "other", "1"],
      ["GET", "vouchother"],
      ["EVAL", "return redis.call('GET', KEYS[1])", "1", "other"],
      ["PUBLISH", "other", "1"],
      ["KEYS", "*"],
      ["FLUSHALL"],
      ["CONFIG", "GET", "dir"],
      ["ACL", "LIST"],
      ["SHUTDOWN"],
    ];
    for (const [command, ...rest] of commands)
      await expect(user.call(command, ...rest), command).rejects.toThrow(/NOPERM|permission/i);
    expect(await user.set("vouch:test", "1", "EX", 5)).toBe("OK");
    await user.del("vouch:test");
    user.disconnect();
  });

  it("says that a certificate is not trusted, or not for this address, or that the server speaks TLS only", async () => {
    const strangers = { NODE_EXTRA_CA_CERTS: join(desk.path, "stranger.pem") };
    const elsewhere = address.replace("127.0.0.1", "localhost");
    const attempts: [string, Readonly<Record<string, string>>, RegExp][] = [
      [address, {}, /self-signed certificate|unable to (verify|get)/],
      [address, strangers, /self-signed certificate|unable to (verify|get)/],
      [elsewhere, trusting, /localhost.*certificate|certificate.*localhost/i],
    ];
    const plain = clusterExecutor({
      url: `redis://team:secret@127.0.0.1:${tlsPort}`,
      local: inlineExecutor(),
    }).then(
      () => "connected",
      ({ code }) => code,
    );
    await Promise.all(
      attempts.map(async ([url, env, reason]) => {
        const { code, stderr } = await desk.run(["worker", "--cluster", url], { env, timeout: 20_000 });
        const text = stderr.replaceAll(/\s+/g, " ");
        expect([code, text]).toEqual([
          1,
          expect.stringMatching(/^error: Redis at rediss:\/\/team@.* cannot be reached/),
        ]);
        expect(text).toMatch(reason);
        expect(text).toContain("NODE_EXTRA_CA_CERTS");
        expect(text).not.toContain("secret");
      }),
    );
    expect(await plain).toBe("cluster/unreachable");
  });
});

describe.skipIf(!hasRedis)("a user without a permission", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await redis?.stop();
  });

  const rules = (documented ?? "").split(" ").slice(3);
  const without = (...left: string[]) => rules.filter((rule) => !left.includes(rule));
  const cases: Readonly<Record<string, { readonly allowed: readonly string[]; readonly says: RegExp }>> = {
    "is unknown": { allowed: [], says: /refuses the user or the password/ },
    "may not use any key": { allowed: without("~vouch:*"), says: /permission: .*keys/ },
    "may use other keys only": { allowed: [...without("~vouch:*"), "~other:*"], says: /permission: .*keys/ },
    "may only read": { allowed: [...without("~vouch:*"), "%R~vouch:*"], says: /permission: .*keys/ },
    "may not use channels": { allowed: without("&vouch:*"), says: /permission: .*channel.* \(PUBLISH\)\.$/ },
    "may not run scripts": { allowed: [...rules, "-@scripting"], says: /permission: .* 'eval' command\.$/ },
    "may not use streams": { allowed: [...rules, "-@stream"], says: /permission: .*command.* \(XADD\)\.$/ },
  };

  it.each(Object.entries(cases))(
    "that %s gets a clear error, as run and as worker",
    async (_, { allowed, says }) => {
      await redis.with(async (admin) => {
        await admin.call("ACL", "DELUSER", "team");
        if (allowed.length > 0) await admin.call("ACL", "SETUSER", "team", ...allowed);
      });
      const url = `redis://team:secret@127.0.0.1:${redis.port}`;
      const began = performance.now();
      const attempts = [
        clusterExecutor({ url, local: inlineExecutor(), patience: 500 }).then((executor) => executor.close()),
        startWorker({ url, threads: 1 }).then((worker) => worker.close()),
      ];
      const ends = await Promise.allSettled(attempts);
      for (const end of ends) {
        const reason = { code: "cluster/denied", message: expect.stringMatching(says) };
        expect(end).toMatchObject({ status: "rejected", reason });
      }
      expect(performance.now() - began).toBeLessThan(15_000);
    },
  );
});

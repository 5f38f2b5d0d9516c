import { describe, expect, it } from "vitest";
import { Desk, shipped } from "../vouch.js";

const desk = new Desk();

describe.concurrent("datasets", () => {
  it("lists the catalogue, and what is on this machine", async () => {
    const text = await desk.print(["datasets"]);
    expect(text).toMatch(/^ {2}iris +150 +4 +3 +shipped +Iris$/m);
    expect(text).toMatch(/^ {2}adult +32,561 \/ 16,281 +14 +2 +– +Adult/m);
    expect(await desk.print(["datasets", "list"])).toBe(text);
  });

  it("lists it as JSON, with sources and licences", async () => {
    const listed: { name: string; place: string | null; urls: string[]; licence: string }[] = await desk.json(
      ["datasets", "list"],
    );
    const here = listed.filter(({ place }) => place !== null).map(({ name }) => name);
    expect(here).toEqual(["breastcancer", "ionosphere", "iris", "penguins"]);
    for (const { urls, licence } of listed) {
      expect(urls.length).toBeGreaterThan(0);
      expect(licence).not.toBe("");
    }
  });

  it("gets a shipped set without a network, by giving its path", async () => {
    expect(await desk.print(["datasets", "get", "iris"])).toBe(`${shipped}iris.csv\n`);
    expect(await desk.json(["datasets", "get", "iris"])).toEqual({
      name: "iris",
      place: "shipped",
      files: { all: `${shipped}iris.csv` },
    });
  });

  it("says how to get a set that is not on this machine", async () => {
    const error = await desk.fault(1, ["train", "adult"]);
    expect(error).toContain('Data set "adult" is not on this machine.');
    expect(error).toContain("vouch datasets get adult");
  });

  it("prefers the folder that VOUCH_DATA names, and says when there is none", async () => {
    const env = { VOUCH_DATA: "/no/such/folder" };
    expect(await desk.fault(1, ["train", "iris"], { env })).toContain(
      "VOUCH_DATA is /no/such/folder, which does not exist.",
    );
    const listed: { name: string; place: string }[] = await desk.json(["datasets"], {
      env: { VOUCH_DATA: shipped },
    });
    expect(listed.find(({ name }) => name === "iris")?.place).toBe("VOUCH_DATA");
  });
});

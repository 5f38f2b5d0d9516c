import { join, resolve } from "node:path";
import { cacheFolder } from "@vouch/datasets";
import { describe, expect, test } from "vitest";

const home = resolve("/home/ada");
const elsewhere = resolve("/elsewhere");

describe("cacheFolder", () => {
  test("prefers VOUCH_CACHE, then XDG_CACHE_HOME, on any system", () => {
    for (const platform of ["linux", "darwin", "win32"] as const) {
      const both = {
        VOUCH_CACHE: elsewhere,
        XDG_CACHE_HOME: resolve("/xdg"),
        LOCALAPPDATA: resolve("/local"),
      };
      expect(cacheFolder(both, platform, home)).toBe(elsewhere);
      expect(cacheFolder({ ...both, VOUCH_CACHE: "" }, platform, home)).toBe(join(resolve("/xdg"), "vouch"));
    }
  });

  test("ignores a relative XDG_CACHE_HOME, as its specification says", () => {
    expect(cacheFolder({ XDG_CACHE_HOME: "here" }, "linux", home)).toBe(join(home, ".cache", "vouch"));
  });

  test("has a default for each system", () => {
    expect(cacheFolder({}, "linux", home)).toBe(join(home, ".cache", "vouch"));
    expect(cacheFolder({}, "darwin", home)).toBe(join(home, "Library", "Caches", "vouch"));
    expect(cacheFolder({ LOCALAPPDATA: elsewhere }, "win32", home)).toBe(join(elsewhere, "vouch", "cache"));
    expect(cacheFolder({}, "win32", home)).toBe(join(home, "AppData", "Local", "vouch", "cache"));
  });
});

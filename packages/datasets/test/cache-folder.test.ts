import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { cacheFolder } from "#datasets/cache-folder.js";

const home = resolve("/home/ada");
const elsewhere = resolve("/elsewhere");

describe("cacheFolder", () => {
  test("VOUCH_CACHE comes first, then XDG_CACHE_HOME, on any system", () => {
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

  test("a relative XDG_CACHE_HOME is ignored, as its specification asks", () => {
    expect(cacheFolder({ XDG_CACHE_HOME: "here" }, "linux", home)).toBe(join(home, ".cache", "vouch"));
  });

  test("each system has its own default", () => {
    expect(cacheFolder({}, "linux", home)).toBe(join(home, ".cache", "vouch"));
    expect(cacheFolder({}, "darwin", home)).toBe(join(home, "Library", "Caches", "vouch"));
    expect(cacheFolder({ LOCALAPPDATA: elsewhere }, "win32", home)).toBe(join(elsewhere, "vouch", "cache"));
    expect(cacheFolder({}, "win32", home)).toBe(join(home, "AppData", "Local", "vouch", "cache"));
  });
});

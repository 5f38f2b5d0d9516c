import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/**
 * Where fetched data sets are kept: `VOUCH_CACHE`, else the user's cache folder of the system
 * (`XDG_CACHE_HOME` or `~/.cache` on Linux, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows).
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const { VOUCH_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (VOUCH_CACHE) return resolve(VOUCH_CACHE);
  // The XDG specification says that a relative path must be ignored.
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "vouch");
  if (platform === "win32") return join(LOCALAPPDATA || join(home, "AppData", "Local"), "vouch", "cache");
  if (platform === "darwin") return join(home, "Library", "Caches", "vouch");
  return join(home, ".cache", "vouch");
}

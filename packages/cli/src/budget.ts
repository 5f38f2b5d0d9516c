import { VouchError } from "vouch/errors";

/** Seconds of a unit of time. */
const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, min: 60, h: 3600 };

/** Reads a span of time as `90`, `10s`, `1.5m`, `2min` or `1h`; gives seconds. */
export function budget(text: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?) ?(s|m|min|h)?$/.exec(text.trim()) ?? [];
  const seconds = Number(number) * UNITS[unit];
  if (number !== "" && seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new VouchError("option/invalid", `--budget is "${text}".`, {
    hint: "It must be a span of time such as 10s, 90 (seconds), 2m or 1h.",
  });
}

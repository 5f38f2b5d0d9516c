const UNITS = ["B", "kB", "MB", "GB"];

/** A size in bytes: 812 B, 12 kB, 3.4 MB. */
export function byteSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

/** A span of time: 4 ms, 0.04 s, 12 s, 3 min 20 s. */
export function duration(seconds: number): string {
  if (seconds < 0.01) return `${Math.ceil(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

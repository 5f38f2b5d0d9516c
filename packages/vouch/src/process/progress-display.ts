import { readableBytes } from "@vouch/core/internal/runtime/memory-limit";
import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import { formatDuration, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { printable, shorten, width } from "./terminal.js";

/** Milliseconds between two redraws of the bar, and between two lines if the stream is not a terminal. */
const REDRAW = 80;
const LINE = 2000;

/** Work shorter than this, in milliseconds, shows no progress. */
const SHORTEST_SHOWN = 400;

/**
 * Shows the progress of long work as a bar on a terminal, or as occasional lines elsewhere (log files, CI). Always uses
 * the error stream, so that results can be piped.
 */
export class ProgressDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #quiet: boolean;
  /** Returns a remark for each line, such as the state of a cluster. */
  remark: () => string = () => "";
  #stage = "";
  #began = 0;
  #drawnAt = 0;
  /** Lines written so far, if the stream is not a terminal; none is repeated. */
  readonly #lines = new Set<string>();
  #drawn = false;

  constructor(stream: NodeJS.WriteStream, quiet: boolean) {
    this.#stream = stream;
    this.#quiet = quiet;
  }

  /** Shows progress; cheap enough for tight loops. */
  readonly report = (progress: Progress): void => {
    if (this.#quiet) return;
    const now = performance.now();
    if (progress.stage !== this.#stage) {
      this.#stage = progress.stage;
      this.#began = now;
      if (this.#stream.isTTY) this.#drawnAt = now;
    }
    const pause = this.#stream.isTTY ? REDRAW : LINE;
    const finished = this.#stream.isTTY && this.#drawn && progress.done === progress.total;
    if (now - this.#began < SHORTEST_SHOWN || (now - this.#drawnAt < pause && !finished)) return;
    this.#drawnAt = now;
    this.#draw(progress, (now - this.#began) / 1000);
  };

  /** Removes the bar, so that the next output starts on an empty line. */
  clear(): void {
    if (this.#drawn && this.#stream.isTTY) this.#stream.write("\r\x1b[K");
    this.#drawn = false;
  }

  #draw(progress: Progress, seconds: number): void {
    this.#drawn = true;
    const notes = [progress.note, this.remark()].filter((note) => note);
    const shown = { ...progress, ...(notes.length > 0 && { note: notes.join("; ") }) };
    if (this.#stream.isTTY) {
      const columns = width(this.#stream);
      const bar = Math.min(24, Math.floor(columns / 5));
      this.#stream.write(`\r\x1b[K${shorten(describe(shown, seconds, bar), columns - 1)}`);
    } else {
      const line = describe(shown, seconds, 0);
      if (!this.#lines.has(line)) this.#stream.write(`${line}\n`);
      this.#lines.add(line);
    }
  }
}

/** Formats a line: stage, bar of the given length (none for 0), counts, note, time left. */
function describe({ stage, done, total, unit, note }: Progress, seconds: number, length: number): string {
  const parts = [stage];
  if (total !== undefined && total > 0) {
    const share = Math.min(1, done / total);
    const filled = Math.round(share * length);
    if (length > 0) parts.push("█".repeat(filled) + "░".repeat(length - filled));
    parts.push(
      unit === "bytes"
        ? `${readableBytes(done)} of ${readableBytes(total)}`
        : `${formatNumber(Math.floor(done))}/${formatNumber(total)}${unit ? ` ${unit}` : ""}`,
    );
    if (note) parts.push(note);
    if (share > 0.02 && share < 1) parts.push(`${formatDuration((seconds / share) * (1 - share))} left`);
  } else {
    parts.push(unit === "bytes" ? readableBytes(done) : formatNumber(Math.floor(done)));
    if (note) parts.push(note);
  }
  return printable(parts.join("  "));
}

/** What all parts of a chaos run share: its folder, its random numbers, its clock, and what has gone wrong. */
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Scene {
  wrong = [];
  counts = { commands: 0, refused: 0, tasks: 0, answers: {}, busy: 0, unanswered: 0, faults: {} };
  #folder = mkdtempSync(join(tmpdir(), "vouch-chaos-"));
  #began = performance.now();
  #until = Number.POSITIVE_INFINITY;
  #state;

  constructor(seed) {
    this.#state = seed;
    process.on("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  get folder() {
    return this.#folder;
  }

  get isOver() {
    return performance.now() > this.#until;
  }

  /** Ends the run after this many minutes. */
  endAfter(minutes) {
    this.#until = performance.now() + 60_000 * minutes;
  }

  at(name) {
    return join(this.#folder, name);
  }

  hashOf(name) {
    return createHash("sha256")
      .update(readFileSync(this.at(name)))
      .digest("hex");
  }

  /** Renames a copy of a file over another one, as programs do that write a file as a whole. */
  replace(name, source) {
    copyFileSync(this.at(source), this.at(`${source}.copy`));
    renameSync(this.at(`${source}.copy`), this.at(name));
  }

  /** Takes a file away for a while. */
  async takeAway(name, most) {
    renameSync(this.at(name), this.at(`${name}.away`));
    await this.pauseUpTo(most);
    renameSync(this.at(`${name}.away`), this.at(name));
  }

  uniform() {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state / 2 ** 32;
  }

  pick(list) {
    return list[Math.floor(this.uniform() * list.length)];
  }

  /** Waits for a random time. */
  async pauseUpTo(milliseconds) {
    await pause(milliseconds * this.uniform());
  }

  log(text) {
    console.error(`${((performance.now() - this.#began) / 1000).toFixed(1)} s: ${text}`);
  }

  /** Notes something that must not happen. */
  note(text) {
    this.wrong.push(text);
    this.log(`WRONG: ${text}`);
  }

  count(counter, name) {
    counter[name] = (counter[name] ?? 0) + 1;
  }
}

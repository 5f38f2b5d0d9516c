import { describe, expect, it } from "vitest";
import { readAhead } from "#vouch/input/read-ahead.js";

/** Yields 0, 1, 2, …, and notes what has been made and whether it was ended. */
function counter(upTo: number, fault?: Error) {
  const state = { made: 0, ended: false };
  async function* numbers(): AsyncGenerator<number> {
    try {
      for (let i = 0; i < upTo; i++) {
        state.made = i + 1;
        yield i;
      }
      if (fault) throw fault;
    } finally {
      state.ended = true;
    }
  }
  return { state, numbers: numbers() };
}

/** Lets everything run that does not wait. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("readAhead", () => {
  it("makes so many items while one is in use, and no more", async () => {
    const { state, numbers } = counter(10);
    const seen: number[] = [];
    for await (const item of readAhead(numbers, 2)) {
      await settled();
      expect(state.made).toBe(Math.min(10, item + 3));
      seen.push(item);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(state.ended).toBe(true);
  });

  it("throws an error after the items before it", async () => {
    const { numbers } = counter(3, new Error("no more"));
    const seen: number[] = [];
    const reading = async () => {
      for await (const item of readAhead(numbers, 5)) {
        await settled();
        seen.push(item);
      }
    };
    await expect(reading()).rejects.toThrow("no more");
    expect(seen).toEqual([0, 1, 2]);
  });

  it("ends the iteration when the reader stops", async () => {
    const { state, numbers } = counter(10);
    for await (const item of readAhead(numbers)) if (item === 1) break;
    expect(state).toEqual({ made: 3, ended: true });
  });
});

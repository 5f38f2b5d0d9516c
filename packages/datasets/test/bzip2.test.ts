import { describe, expect, test } from "vitest";
import { Bzip2Error, bunzip2 } from "#datasets/bzip2.js";

// Compressed with bzip2 1.0.8 at level 9, unless stated otherwise.
const empty = "QlpoORdyRThQkAAAAAA=";
const hello = "QlpoOTFBWSZTWatrofEAAALZgAAQQAAQABJkwBAgADEA000EAB6j705RogeLuSKcKEhVtdD4gA==";
/** Runs of A, B and C of every length from 0 to 299. */
const runs =
  "QlpoOTFBWSZTWb54ESkAAdL////////////////////////////////////////////4QAH8bq27AkwAAAmAJgAEwAAEwAA/VAAA" +
  "ARgAAAAAEwAAAAAAAAJgAAAAAAAQf6qTCMAmh6mmAjIyMmJiMAAhk0MTJowDQNA0mNA0ADSabSM0Q9A1MAmjRkYR6NA0aTJ6j1Np" +
  "PSGBDATJiMABhRMEaYBMmjARgEwAAAJk0wmf6qAEwJiYRpgAACYCMEwAEBgI0YhkwAACaMEaehHoBMAAGo/1VVQGgNGRoANAMRoB" +
  "o0BppkaMgP0hNMmgAA0MQGgAaDTQ0GmgNGTQ0yaMjQ0ADI0AZGTQBoNAGgBu0ucucRERERERERERERERERERERERERAAAAEpSSmi" +
  "/9pNdLrp1dQraa2qurV1muuV16uw12Stut+07Zt24bnct3tWqdRp67X2u33XN2EvYqAFwgyJGx0jKDpgf4iHjI0JKlqKv0eqvsLM" +
  "mUuCpa+LmDJr74n7HaQ/V2Nrd4OMAAAAAAAAFvmGXGMYQUQUQUVkEEFFEFGIGYZoGagdQdwEg9A+AKB/CBAWHeCFGREUNjY+R4wi" +
  "TlR3f8A/wzZCe8hGgoiVJTVFV7aiqrK74fGwsvpZ/a2uLq8vsDCxMbIyfzl5v6zx2j/R+prbH/293f4ePlUQAAAAsWLFixYsXeUl" +
  "KSY6qslKSXmSlJBSUk7/RPAr4NcfXwq+sK4K8PYHtCwCxCyCzD3e8naWpS2txHHuLm6K3d4WvfhfX/xL/L5mPpgGcH6mtPU1dbX2" +
  "Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+UEAAAAAAAAsrKysrvJSSlOJs4AAAAAAAAAAAAAAAAAAAAAAAAAAAAABK" +
  "USlK1UpT/xdyRThQkL54ESk=";
/** 282,000 bytes of LIBSVM lines at level 1: three blocks. */
const threeBlocks =
  "QlpoMTFBWSZTWb+QLCsALbRZAAAQQAt+sAIAMAE2AFMAACaqg0AAUqk/SmjEybBSq4ClVkhCp0FKrFUQa7qiDyqIOaog3qiDCpUL" +
  "gJBxVEG1UQbqlQtBIOaogyqIMqogyqIOqog9VRBqqINqog6qiDVUQd1RB+qiDyqIM0Eg2qiDyqIMqiDVUQfzFBWSZTWbnzZvwAbA" +
  "VZAAAQQAt+sAIAMAE4AKYAAKYAAClSnkhkzU91RB9qiDBUqF1VEGVUQeVRBuqIOqog4qiDJUqFzVEHNUQYqiDlVEG8BIOKog/VRB" +
  "qqIM1UQZCQd1RB6qiDVUQYqiDsJBoJBuqIPKog+1RBqqINVRBsJBkJBqqIP5igrJMprOnzTAsAReOsgAAIIAW/WAEAGACJhCmAAB" +
  "NVUafqmEzUClUZTGpoz7KROJSJ6FCpdSkTYqRPJSJqUidSkTJSSwJUJqEpaRKWyJS1RUJmEpfUSlhEpYQlLEJS7RKW6JSyiUtkSl" +
  "3CUswlL+iUvySJ3pUiYqRMVImlSJsqRMlIn8XckU4UJBeQOVBA==";

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const unpack = (packed: Uint8Array) => Buffer.concat([...bunzip2(packed)]).toString("latin1");

describe("bunzip2", () => {
  test("decompresses nothing, a short text, and concatenated files", () => {
    expect(unpack(bytesOf(empty))).toBe("");
    expect(unpack(bytesOf(hello))).toBe("hello bzip2\n");
    expect(unpack(Buffer.concat([bytesOf(hello), bytesOf(empty), bytesOf(hello)]))).toBe(
      "hello bzip2\nhello bzip2\n",
    );
  });

  test("decompresses runs of every length", () => {
    const text = Array.from({ length: 300 }, (_, i) => "ABC"[i % 3].repeat(i)).join("");
    expect(unpack(bytesOf(runs)) === text).toBe(true);
  });

  test("decompresses several blocks", () => {
    const blocks = [...bunzip2(bytesOf(threeBlocks))];
    expect(blocks).toHaveLength(3);
    const text = "-1 3:1 11:1 14:1 19:1 39:1\n+1 5:0.25 7:-1.5e-3\n".repeat(6000);
    expect(Buffer.concat(blocks).toString() === text).toBe(true);
  });

  test("refuses a file truncated at any length", () => {
    const whole = bytesOf(runs);
    for (let length = 0; length < whole.length; length++) {
      expect(() => unpack(whole.subarray(0, length)), `${length} bytes`).toThrow(Bzip2Error);
    }
  });

  test("never returns another text when a bit is flipped", () => {
    const whole = bytesOf(hello);
    let refused = 0;
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const damaged = whole.slice();
      damaged[bit >> 3] ^= 0x80 >> (bit & 7);
      try {
        // Harmless bits: the size of blocks, codes of symbols that do not occur, padding.
        expect(unpack(damaged), `bit ${bit}`).toBe("hello bzip2\n");
      } catch (error) {
        expect(error, `bit ${bit}`).toBeInstanceOf(Bzip2Error);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(whole.length * 6);
  });
});

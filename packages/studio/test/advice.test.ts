import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cardInAPage, inAPage, nameFieldsForRareClass } from "#studio/engine/advice.js";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** Folders whose advice a page can show, without what only Node runs. */
const SHOWN = [
  "formats/src",
  "core/src/table",
  "core/src/runtime/memory-limit.ts",
  "core/src/checks",
  "core/src/metrics/objective.ts",
  "core/src/train",
];
/** Only Node, a shard or the command raises what these contain. */
const ELSEWHERE =
  /formats\/src\/node\/|train\/request\/|shard|plan-training|train-table|training-data|data-shift|selective-prediction/;

/** The texts in code that name a flag of the command, also one that is the whole text. */
function textsWithFlags(path: string): string[] {
  const code = readFileSync(path, "utf8").replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");
  return code.match(/"[^"\n]*--[a-z][^"\n]*"|`[^`\n]*--[a-z][^`\n]*`/g) ?? [];
}

describe("advice in a page", () => {
  it("names no flag of the command, wherever the library does", () => {
    const files = SHOWN.flatMap((shown) =>
      shown.endsWith(".ts")
        ? [join(packages, shown)]
        : readdirSync(join(packages, shown), { recursive: true, encoding: "utf8" })
            .filter((name) => name.endsWith(".ts"))
            .map((name) => join(packages, shown, name)),
    );
    const texts = files.filter((file) => !ELSEWHERE.test(file)).flatMap(textsWithFlags);
    expect(texts.length).toBeGreaterThan(12);
    const flagged = texts.map((text) => inAPage(text.slice(1, -1).replace(/\$\{[^}]*\}/g, "x")));
    expect(flagged.filter((text) => text.includes("--"))).toEqual([]);
  });

  it("begins a sentence with a capital letter", () => {
    expect(inAPage("Choose another column with --target, or group its values.")).toBe(
      "Choose another target, or group its values.",
    );
  });

  it("names the fields that help with a rare class", () => {
    const rare = { class: "fraud", rows: 5, share: 0.01, other: "fine" };
    expect(nameFieldsForRareClass(rare, { metric: "auc", cost: 99, abstain: 0.005 })).toBe(
      "On the Train page, choose the goal “best ranking” to rank rows, or “lowest cost of errors” with 99 for a missed fraud. There, you can also let the model give no answer where it is unsure.",
    );
    expect(nameFieldsForRareClass(rare, { metric: "balanced-error" })).toBe(
      "On the Train page, choose the goal “fewest errors, all classes equal”.",
    );
  });

  it("names no flag in warnings and notices of a card, and the rest of the card stays", () => {
    const warning = {
      code: "alike-rows",
      message: "If you will predict such rows, hold them out with --group.",
    } as const;
    const verdict = {
      better: "no",
      baseline: { class: "a", error: 0.5 },
      error: 0.5,
      gain: 0,
      p: 1,
      measuredOn: "rows",
    } as const;
    const card = cardInAPage({
      notices: ["1 line left out; --skip 0 reads it."],
      verdict: { ...verdict, warnings: [warning] },
    });
    expect(card.notices).toEqual(["1 line left out. Skip 0 lines to read it."]);
    expect(card.verdict?.warnings).toEqual([
      {
        ...warning,
        message: "If you will predict such rows, hold them out by that column on the Data page.",
      },
    ]);
    expect(card.verdict).toMatchObject(verdict);
  });
});

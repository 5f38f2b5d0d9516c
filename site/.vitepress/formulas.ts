import katex from "katex";
import type { MarkdownRenderer } from "vitepress";

/**
 * Typesets the formulas of the docs, which are plain text there: indented blocks as displays, and in prose the indices, as in m_k. A
 * formula that cannot be read ends the build.
 */
export function renderFormulas(markdown: MarkdownRenderer): void {
  const { code_block: code } = markdown.renderer.rules;
  markdown.renderer.rules.code_block = (tokens, i, ...rest) => {
    const { content } = tokens[i];
    if (!/[=≤≥∑Σ√]/.test(content) || /^vouch /m.test(content)) return code?.(tokens, i, ...rest) ?? "";
    const displays = content
      .trim()
      .split(/\n\s*\n/)
      .map(display);
    return `<div class="formula" tabindex="0" v-pre>${displays.join("")}</div>`;
  };
  const { text } = markdown.renderer.rules;
  markdown.renderer.rules.text = (...args) =>
    (text?.(...args) ?? "").replaceAll(INDEX, (_, letter: string, braced?: string, plain?: string) => {
      return `${letter}<sub>${braced ?? plain}</sub>`;
    });
}

/** A letter or an operator with an index: not a name_with_words, which stands in backticks anyway. */
const INDEX =
  /(?<![\p{L}\p{N}_])(\p{L}\p{M}*|inf|max|min|sup)_(?:\{([^}]*)\}|([\p{L}\p{N}]))(?![\p{L}\p{N}_])/gu;

function display(lines: string): string {
  const [first, ...more] = lines.split("\n").map((line) => tex(line.trim()));
  const rows = [`&${first}`, ...more.map((line) => `&\\qquad ${line}`)];
  return katex.renderToString(`\\begin{aligned}${rows.join("\\\\")}\\end{aligned}`, {
    displayMode: true,
    strict: false,
  });
}

const FUNCTIONS = new Set(["min", "max", "inf", "sup", "ln", "log", "Pr"]);
const OPERATORS = new Set(["kl", "KL", "Var", "Binomial", "Hypergeometric"]);

/** Words of a sentence have three letters or are common. */
const WORD = `(?!(?:${[...FUNCTIONS, ...OPERATORS].join("|")})\\b)(?:[A-Za-z-]{3,}|if|of|on|at|is|or)\\b`;
const PHRASE = new RegExp(` ?\\b${WORD}(?: (?:a )?${WORD})* ?`, "y");

/** Raised and lowered characters, and the same characters at normal size. */
const SMALL = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵢⱼ₀₁₂₃₄₅₆₇₈₉";
const NORMAL = "0123456789+-ij0123456789";

const SYMBOLS: Readonly<Record<string, string>> = {
  Σ: "\\sum ",
  "∏": "\\prod ",
  "½": "\\tfrac12 ",
  "·": "\\cdot ",
  "…": "\\dots ",
  "%": "\\%",
  "{": "\\{",
  "}": "\\}",
  𝓛: "\\mathcal{L}",
  𝓚: "\\mathcal{K}",
  ℋ: "\\mathcal{H}",
  "′": "'",
  "‖": "\\|",
};

/** What a formula in plain text consists of; the first part that fits at a place is taken. */
const PARTS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/([_^])\{/y, ([, mark]) => `${mark}{`],
  [/_([\p{L}\p{N}]\p{M}*)([ᵢⱼ]?)/uy, ([, index, second]) => `_{${tex(index + second)}}`],
  [/\^([\p{L}\p{N}])/uy, ([, exponent]) => `^{${tex(exponent)}}`],
  [/[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+/uy, ([all]) => `^{${small(all)}}`],
  [/[ᵢⱼ₀₁₂₃₄₅₆₇₈₉]+/uy, ([all]) => `_{${small(all)}}`],
  [/(\p{L})\u0302/uy, ([, letter]) => `\\hat{${letter}}`],
  [PHRASE, ([phrase]) => `\\text{${phrase}}`],
  [/[A-Za-z]+/y, ([word]) => wordInTex(word)],
  [/ {3,}/y, () => "\\qquad "],
];

/** Writes a formula in plain text, such as `√(ln(1/δ)/2m)`, in TeX. */
function tex(formula: string): string {
  let written = "";
  let at = 0;
  const groups: string[] = [];
  while (at < formula.length) {
    if (formula.startsWith("√", at)) {
      const end = formula[at + 1] === "(" ? closing(formula, at + 1) : at + 1;
      const inside = formula[at + 1] === "(" ? formula.slice(at + 2, end) : formula.slice(at + 1, end + 1);
      written += `\\sqrt{${tex(inside.trim())}}`;
      at = end + 1;
      continue;
    }
    const [match, write] = firstPart(formula, at);
    if (match !== undefined) {
      if (match[0].endsWith("{")) groups.push("}");
      written += write(match);
      at += match[0].length;
      continue;
    }
    const character = String.fromCodePoint(formula.codePointAt(at) ?? 0);
    if (character === "{") groups.push("\\}");
    written += character === "}" ? (groups.pop() ?? "\\}") : (SYMBOLS[character] ?? character);
    at += character.length;
  }
  return written;
}

function firstPart(formula: string, at: number) {
  for (const [pattern, write] of PARTS) {
    pattern.lastIndex = at;
    const match = pattern.exec(formula);
    if (match) return [match, write] as const;
  }
  return [undefined, () => ""] as const;
}

/** Names of functions are upright; other letters are variables side by side. */
function wordInTex(word: string): string {
  if (FUNCTIONS.has(word)) return `\\${word} `;
  return OPERATORS.has(word) ? `\\operatorname{${word}}` : word;
}

/** The place of the bracket that closes the one at a place. */
function closing(formula: string, opening: number): number {
  let depth = 0;
  for (let i = opening; i < formula.length; i++) {
    if (formula[i] === "(") depth++;
    if (formula[i] === ")" && --depth === 0) return i;
  }
  throw new Error(`A bracket is not closed in ${formula}`);
}

const small = (text: string) => Array.from(text, (character) => NORMAL[SMALL.indexOf(character)]).join("");

/**
 * `npm run lint:text [-- PATH…]`: checks the English of the guide, of comments and of messages by the rules in
 * CONTRIBUTING.md. Prints each finding with its place and what to write instead, and exits with 1 if there is any.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Maximum number of words in a sentence of the guide, except headings and tables. */
const MOST_WORDS = 25;

/** What may follow "is no" in idiomatic English: "is no better", "is no longer". */
const AFTER_NO =
  "better|worse|longer|more|less|fewer|larger|smaller|higher|lower|other|slower|faster|different|one|need|way|matter|use|time|room|sooner|later|newer";

/** Rules for all texts: what to find, and what to do instead. */
const RULES = [
  [/\balso (?:if|when|though)\b/i, "write “even if” or “even when”"],
  [
    new RegExp(`(?<!\\bthere )\\b(?:is|are|was|were) no (?!(?:${AFTER_NO})\\b)\\w+`, "i"),
    "write “is not a …”",
  ],
  [/\bcommonest\b/i, "write “most common”"],
  [/\banew\b/i, "write “again”"],
  [/\bbesides\b/i, "write “also”, “in addition” or “except”"],
  [/\bwho(?:m)?ever\b/i, "write “anyone who”"],
  [/\b(?:wherefrom|whereof|whereby|thereof|therewith)\b/i, "write plain modern English"],
  [/\bworks? as well[,.]/i, "write “still works”"],
  [/\bof no account\b/i, "write “ignored”"],
  [/\b(?:the poster(?! version)|the perceptron report)\b/i, "name the paper by authors and year"],
  [/\d\s%/, "write percentages without a space: “2.9%”"],
];

/** Folders whose comments and messages wait for a rework of their code; the rules below do not hold there, nor in tests. */
const UNEDITED = /packages\/core\/(?:src\/(?:runtime|encode|learners)|wasm|kernels)\/|\/test\//;

/** Rules for all texts outside those folders. */
const EDITED_RULES = [
  [/\bas far as\b/i, "write “if” or “where”"],
  [/\bso many\b/i, "write “this many”, or the number"],
  [/\bwhat is to be\b/i, "use a noun and an active verb"],
  [/\b(?:is|are) [^.:;]{1,80}, but (?:must|should)\b/i, "write “X must be …, not …”"],
  [/(?<!\bthan )\b(?:that|those) of\b/i, "repeat the noun"],
  [/^ ?(?:Tells|Says) (?:whether|which|what)\b/, "write “Returns whether”, “Describes”, or a noun phrase"],
];

/** Rules for the guide alone. */
const GUIDE_RULES = [
  [/\b(?:one may|nothing has to be|is to be said)\b/i, "address the reader: “you can”, “do X to Y”"],
  [
    /\b(?:models?|learners?|tests?|files?|criteri(?:on|a)|certificates?) (?:(?:do|does) not )?(?:knows?|notices?|promises?|wants?|remembers?)\b/i,
    "models, tests and files are not persons",
  ],
  [/\blog-loss\b/i, "write “log loss”"],
  [/(?<!^\| )\bnotices?\b/i, "write “note” or “warning”"],
  [/\w\.model\b(?=[\s,.]|$)/, "model files end in “.safetensors”"],
  [
    /\b(?:page|section|report|output|comment|chapter|folder|README)s? (?:has|have)\b/i,
    "write “contains”, “shows” or “lists”",
  ],
  [/^#+ (?:To|If|It|That|Those|This|These|There)\b|^#.*[.:;,]$/, "headings are noun phrases or tasks"],
];

/** Rules for messages alone. */
const MESSAGE_RULES = [
  [
    /^(?:--[\w-]+|The number of [\w ]+|[a-z]\w*) is \$\{[^}]*\}\.$/,
    "say what must be: “--folds must be at least 2, not 1.”",
  ],
];

/** Texts that break a rule with good reason: a part of the path, and a part of the text. */
const ALLOWED = [
  ["CONTRIBUTING.md", "Repeat the noun instead"],
  ["CONTRIBUTING.md", "instead of *is no*"],
  ["scripts/lint-text.mjs", ""],
  // Generated from results; their words are checked in packages/experiments.
  ["docs/results/", ""],
  // Sentences of certificates, which model files contain.
  ["theory/", "are those of F."],
  ["theory/", "is not below that of deep-cascade-direct"],
  ["theory/", "are those of a proof"],
  ["theory/held-out/", "cases like those of the test period"],
  ["number-notation.ts", " %"],
  ["docs/cli.md", "balanced-error, auc, log-loss"],
  ["margin-forest/", "poster"],
  ["docs/api/", ""],
  ["site/index.md", "sidebar: false"],
];

/** The texts of a Markdown page with their lines: paragraphs, list items, headings and table rows, without code and addresses. */
function markdownTexts(page) {
  const texts = [];
  let code = false;
  let open;
  // What is generated is checked where its words are written.
  const written = page.replaceAll(/<!-- ([\w ]+) -->.*?<!-- \/\1 -->/gs, (part) =>
    part.replaceAll(/[^\n]/g, ""),
  );
  for (const [i, line] of written.split("\n").entries()) {
    if (/^\s*```/.test(line)) code = !code;
    const text = line.trim();
    const starts = /^([-*#|>]|\d+\.)(\s|$)/.test(text);
    if (code || text === "" || /^```|^ {4}/.test(line)) open = undefined;
    else if (open && !starts) open.text += ` ${text}`;
    else {
      open = { line: i + 1, text, plain: /^[#|]/.test(text) };
      texts.push(open);
      if (open.plain) open = undefined;
    }
  }
  return texts.map(({ text, ...rest }) => ({ ...rest, text: withoutCode(text), kind: "prose" }));
}

const withoutCode = (text) =>
  text
    .replaceAll(/<!--.*?-->/g, "")
    .replaceAll(/``.*?``|`[^`]*`/g, "`code`")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/https?:\/\/\S+/g, "");

const REGEX_LITERAL = String.raw`(?<=(?:^|[(,=:[!&|?{};>]|return)\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*`;
const TOKENS = new RegExp(
  String.raw`\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}|${REGEX_LITERAL}`,
  "gm",
);

/** The comments and the messages of a source file with their lines. A message is a string with a space and a full word. */
function sourceTexts(source) {
  const texts = [];
  let line = 1;
  let last = 0;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    line += source.slice(last, index).split("\n").length - 1;
    last = index;
    const isComment = token.startsWith("/*") || token.startsWith("//");
    if (isComment) {
      const text = token.replaceAll(/^[ \t]*(?:\/\*\*?|\/\/|\*\/|\*)|\*\/$/gm, "").replaceAll(/\s+/g, " ");
      texts.push({ line, text: withoutCode(text), kind: "comment" });
    } else if (/^["'`]/.test(token) && /[a-z]{2,} [a-z]/i.test(token))
      texts.push({ line, text: token.slice(1, -1).replaceAll(/\s+/g, " "), kind: "message" });
  }
  return texts;
}

/** What is wrong with a text. */
function findings({ text, kind, plain }, path) {
  const rules = [
    ...RULES,
    ...(UNEDITED.test(path) ? [] : EDITED_RULES),
    ...(kind === "message" ? MESSAGE_RULES : kind === "prose" ? GUIDE_RULES : []),
  ];
  const found = rules.flatMap(([pattern, advice]) => {
    const hit = pattern.exec(text);
    return hit ? [`“${hit[0]}”: ${advice}`] : [];
  });
  if (kind !== "prose" || plain) return found;
  const sentences = text.split(/(?<=[.!?:][)”*"]*) (?=[A-Z*[`("“]|vouch\b|scikit-learn\b|\d)/);
  return [
    ...found,
    ...sentences
      .filter((sentence) => wordsIn(sentence) > MOST_WORDS)
      .map((sentence) => `${wordsIn(sentence)} words: split “${sentence.slice(0, 50)}…”`),
    ...sentences
      .filter((sentence) => (sentence.match(/[:;](?= )/g)?.length ?? 0) > 1)
      .map((sentence) => `more than one colon or semicolon: “${sentence.slice(0, 50)}…”`),
  ];
}

const wordsIn = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Checks files; returns a line for each finding. */
function lintText(paths) {
  return paths.flatMap((path) => {
    const source = readFileSync(join(root, path), "utf8");
    const texts = path.endsWith(".md") ? markdownTexts(source) : sourceTexts(source);
    return texts.flatMap((text) =>
      ALLOWED.some(([place, part]) => path.includes(place) && text.text.includes(part))
        ? []
        : findings(text, path).map((finding) => `${path}:${text.line} ${finding}`),
    );
  });
}

if (process.argv[1] === import.meta.filename) {
  const given = process.argv.slice(2);
  const tracked = execFileSync(
    "git",
    [
      "ls-files",
      "-co",
      "--exclude-standard",
      "*.md",
      "*.ts",
      "*.tsx",
      "*.mjs",
      "*.d.mts",
      ...(given.length > 0 ? ["--", ...given] : []),
    ],
    { cwd: root, encoding: "utf8" },
  );
  const files = tracked
    .split("\n")
    .filter(
      (path) =>
        path !== "" &&
        existsSync(join(root, path)) &&
        (given.length === 0 || given.some((part) => path.startsWith(part))),
    );
  const found = lintText(files);
  for (const line of found) console.error(line);
  console.error(
    `${files.length} files: ${found.length === 0 ? "the English is fine" : `${found.length} findings`}.`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}

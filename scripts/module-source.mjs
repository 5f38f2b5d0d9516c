/**
 * Reads one TypeScript module: its code without comments, what it imports and what it exports. Only the compiler's tokens are
 * used, so that this works on any tree, built or not, in a fraction of a second.
 */
import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";

const OPENING = new Set(["{", "(", "["]);
const CLOSING = new Set(["}", ")", "]"]);
const MODIFIERS = new Set(["declare", "abstract", "async"]);
const DECLARATIONS = new Set([
  "function",
  "class",
  "interface",
  "type",
  "enum",
  "namespace",
  "const",
  "let",
  "var",
]);
/** Keywords after which a slash divides, as it does after a name, a literal or a closing bracket. */
const OPERANDS = new Set(["this", "super", "true", "false", "null"]);

/** Reads a module. Throws when it meets an import or export that it does not understand. */
export function readSource(text) {
  const { tokens, comments } = tokensOf(text);
  const source = { imports: [], declared: new Set(), reexported: [], statements: [], identifiers: new Map() };
  for (const { kind, text: name } of tokens) {
    if (kind === SyntaxKind.Identifier) source.identifiers.set(name, (source.identifiers.get(name) ?? 0) + 1);
  }
  const locals = [];
  tokens.forEach((token, i) => {
    if (token.text === "import" && tokens[i + 1]?.text === "(") readImportCall(tokens, i, source);
    else if (token.depth > 0 || tokens[i - 1]?.text === ".") return;
    else if (token.kind === SyntaxKind.ImportKeyword && tokens[i + 1]?.text !== ".")
      readImport(tokens, i, source);
    else if (token.kind === SyntaxKind.ExportKeyword) readExport(tokens, i, source, locals);
  });
  for (const { name, as } of locals) {
    const imported = source.imports.flatMap(({ specifier, names }) =>
      names.filter((one) => one.as === name).map((one) => ({ specifier, name: one.name, as })),
    );
    if (imported.length > 0) source.reexported.push(...imported);
    else source.declared.add(as);
  }
  return {
    ...source,
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    code: codeLines(text, comments, source),
  };
}

/** Splits a text into tokens, each with the number of brackets around it, and lists the comments. */
function tokensOf(text) {
  const scanner = createScanner(false, undefined, text);
  const tokens = [];
  const comments = [];
  const templates = [];
  let depth = 0;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia)
      comments.push({ start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
    if (kind <= SyntaxKind.LastTriviaToken) continue;
    if (
      (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) &&
      !endsOperand(tokens.at(-1))
    )
      kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.CloseBraceToken && templates.at(-1) === depth) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateTail) templates.pop();
    }
    const token = { kind, text: scanner.getTokenText(), value: scanner.getTokenValue() };
    Object.assign(token, { start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
    const closes = CLOSING.has(token.text) || kind === SyntaxKind.TemplateTail;
    if (closes) depth--;
    tokens.push(Object.assign(token, { depth }));
    if (OPENING.has(token.text) || kind === SyntaxKind.TemplateHead) depth++;
    if (kind === SyntaxKind.TemplateHead) templates.push(depth);
  }
  if (depth !== 0) throw new Error(`the brackets of a module do not match (${depth} are open at its end)`);
  return { tokens, comments };
}

function endsOperand(token) {
  if (token === undefined) return false;
  const { kind, text } = token;
  // A slash after `<` ends an element of JSX.
  if (kind === SyntaxKind.LessThanToken) return true;
  if (kind >= SyntaxKind.FirstKeyword && kind <= SyntaxKind.LastReservedWord) return OPERANDS.has(text);
  return CLOSING.has(text) || kind >= SyntaxKind.Identifier || isLiteral(kind);
}

function isLiteral(kind) {
  return (
    (kind >= SyntaxKind.FirstLiteralToken && kind <= SyntaxKind.LastLiteralToken) ||
    kind === SyntaxKind.TemplateTail
  );
}

/** Reads `import("x")`, as an expression or as a type. */
function readImportCall(tokens, i, source) {
  const { kind, value } = tokens[i + 2];
  const names = [{ name: "*" }];
  if (kind === SyntaxKind.StringLiteral) source.imports.push({ specifier: value, kind: "dynamic", names });
}

function readImport(tokens, start, source) {
  let i = start + 1;
  const typeOnly = tokens[i].text === "type" && tokens[i + 1].text !== "from";
  if (typeOnly) i++;
  const names = [];
  while (tokens[i].kind !== SyntaxKind.StringLiteral) {
    if (tokens[i].text === "{") {
      const list = readNames(tokens, i);
      names.push(...list.names);
      i = list.end;
    } else if (tokens[i].text === "*") {
      names.push({ name: "*", as: tokens[i + 2].text });
      i += 3;
    } else {
      if (tokens[i].kind === SyntaxKind.Identifier) names.push({ name: "default", as: tokens[i].text });
      i++;
    }
  }
  source.imports.push({ specifier: tokens[i].value, kind: typeOnly ? "type" : "value", names });
  source.statements.push({ start: tokens[start].start, end: tokens[i].end });
}

function readExport(tokens, start, source, locals) {
  let i = start + 1;
  const typeOnly = tokens[i].text === "type" && ["{", "*"].includes(tokens[i + 1].text);
  if (typeOnly) i++;
  if (tokens[i].text === "{" || tokens[i].text === "*") {
    const { names, end } = tokens[i].text === "{" ? readNames(tokens, i) : readStar(tokens, i);
    if (tokens[end]?.text !== "from") {
      locals.push(...names);
      return;
    }
    const specifier = tokens[end + 1].value;
    source.imports.push({ specifier, kind: typeOnly ? "type" : "value", names: [] });
    source.reexported.push(...names.map((name) => ({ specifier, ...name })));
    source.statements.push({ start: tokens[start].start, end: tokens[end + 1].end });
  } else if (tokens[i].text === "default") source.declared.add("default");
  else {
    while (MODIFIERS.has(tokens[i].text)) i++;
    if (tokens[i].text === "const" && tokens[i + 1].text === "enum") i++;
    const isDeclaration = DECLARATIONS.has(tokens[i].text);
    if (tokens[++i].text === "*") i++;
    const names = OPENING.has(tokens[i].text) ? readPattern(tokens, i) : [tokens[i]];
    if (!isDeclaration || names.length === 0 || !names.every(({ kind }) => kind >= SyntaxKind.Identifier)) {
      const words = tokens.slice(start, start + 3).map(({ text }) => text);
      throw new Error(`this export is not understood: ${words.join(" ")} …`);
    }
    for (const { text } of names) source.declared.add(text);
  }
}

/** Reads the names that a pattern such as `{ a, b: c }` or `[a, c]` declares; none for patterns with defaults or other patterns in them. */
function readPattern(tokens, start) {
  const end = tokens.findIndex(
    ({ text, depth }, i) => i > start && CLOSING.has(text) && depth === tokens[start].depth,
  );
  const inside = tokens.slice(start + 1, end);
  if (inside.some(({ text }) => ["=", "{", "[", "."].includes(text))) return [];
  return inside.filter((token, i) => token.text !== "," && token.text !== ":" && inside[i + 1]?.text !== ":");
}

/** Reads `* from` or `* as name from`. */
function readStar(tokens, start) {
  if (tokens[start + 1].text !== "as") return { names: [{ name: "*", as: "*" }], end: start + 1 };
  return { names: [{ name: "*", as: tokens[start + 2].text }], end: start + 3 };
}

/** Reads the names between braces, each as it is called in the module it comes from and as it is called here. */
function readNames(tokens, start) {
  const names = [];
  let i = start + 1;
  while (tokens[i].text !== "}") {
    const words = [];
    for (; tokens[i].text !== "," && tokens[i].text !== "}"; i++) words.push(tokens[i].text);
    if (tokens[i].text === ",") i++;
    if (words[0] === "type" && words.length > 1 && words[1] !== "as") words.shift();
    names.push({ name: words[0], as: words.at(-1) });
  }
  return { names, end: i + 1 };
}

/** Lists the lines that hold code: their number, their text with single spaces, and whether they import or re-export. */
function codeLines(text, comments, { statements }) {
  const bare = blanked(text, comments).split("\n");
  const withoutImports = blanked(text, [...comments, ...statements]).split("\n");
  return bare.flatMap((line, i) => {
    const code = line.trim().replaceAll(/\s+/g, " ");
    return code === ""
      ? []
      : [{ number: i + 1, code, imports: withoutImports[i].replaceAll(";", "").trim() === "" }];
  });
}

function blanked(text, ranges) {
  const characters = text.split("");
  for (const { start, end } of ranges) {
    for (let i = start; i < end; i++) if (characters[i] !== "\n") characters[i] = " ";
  }
  return characters.join("");
}

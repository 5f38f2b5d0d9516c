/**
 * What the packages export, with comments and declarations, as the compiler sees it in their built declaration files. The
 * compiler's API is marked unstable; the version of TypeScript is fixed, and only this file and module-source.mjs use it.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, NodeBuilderFlags, SymbolFlags } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("..", import.meta.url));
const config = fileURLToPath(new URL("tsconfig.api.json", import.meta.url));

/** The entries, and their declaration files. */
const modules = [
  { name: "vouch", file: "packages/vouch/dist/index.d.ts" },
  { name: "vouch/train", file: "packages/vouch/dist/train-entry.d.ts" },
  { name: "vouch/predict", file: "packages/vouch/dist/predict.d.ts" },
  { name: "vouch/theory", file: "packages/vouch/dist/theory/index.d.ts" },
  { name: "vouch/select", file: "packages/vouch/dist/select/index.d.ts" },
  { name: "vouch/learning", file: "packages/vouch/dist/learning.d.ts" },
  { name: "vouch/command", file: "packages/vouch/dist/command.d.ts" },
  { name: "vouch/presentation", file: "packages/vouch/dist/presentation.d.ts" },
  { name: "vouch/watch", file: "packages/vouch/dist/watch.d.ts" },
  { name: "vouch/data", file: "packages/vouch/dist/data.d.ts" },
  { name: "vouch/machines", file: "packages/vouch/dist/machines.d.ts" },
  { name: "vouch/errors", file: "packages/vouch/dist/errors.d.ts" },
  { name: "vouch/sharded", file: "packages/vouch/dist/sharded.d.ts" },
  { name: "vouch/node", file: "packages/vouch/dist/node.d.ts" },
  { name: "vouch/files", file: "packages/vouch/dist/files.d.ts" },
  { name: "@vouch/formats", file: "packages/formats/dist/index.d.ts" },
  { name: "@vouch/formats/browser", file: "packages/formats/dist/browser.d.ts" },
  { name: "@vouch/datasets", file: "packages/datasets/dist/index.d.ts" },
  { name: "@vouch/views", file: "packages/views/dist/index.d.ts" },
  { name: "@vouch/views/facts", file: "packages/views/dist/facts/index.d.ts" },
  { name: "@vouch/views/boards", file: "packages/views/dist/boards.d.ts" },
  { name: "@vouch/views/outlines", file: "packages/views/dist/outlines.d.ts" },
  { name: "@vouch/views/static", file: "packages/views/dist/static.d.ts" },
  { name: "@vouch/report", file: "packages/report/dist/index.d.ts" },
  { name: "@vouch/report/live", file: "packages/report/dist/live.d.ts" },
  { name: "@vouch/studio", file: "packages/studio/dist/index.d.ts" },
  { name: "@vouch/serve", file: "packages/serve/dist/index.d.ts" },
  { name: "@vouch/onnx", file: "packages/onnx/dist/index.d.ts" },
  { name: "@vouch/experiments", file: "packages/experiments/dist/index.d.ts" },
  { name: "@vouch/cluster/sharded", file: "packages/cluster/dist/sharded/index.d.ts" },
  { name: "@vouch/experiments/tasks", file: "packages/experiments/dist/portable-tasks.d.ts" },
  { name: "@vouch/cluster", file: "packages/cluster/dist/index.d.ts" },
  { name: "@vouch/cluster/jobs", file: "packages/cluster/dist/serve-jobs.d.ts" },
  { name: "@vouch/cli", file: "packages/cli/dist/index.d.ts" },
];

/**
 * Every module that users import from: what it says of itself, and its exports in the order of its sections, in each first the
 * values, then the types, by name.
 */
export function publicApi() {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    return modules.map(({ name, file }) => {
      const path = root + file.replace("/dist/", "/src/").replace(/\.d\.ts$/, ".ts");
      const source = readFileSync(path, "utf8");
      return { name, about: aboutOf(source), exports: exportsOf(project, root + file, placesOf(path)) };
    });
  } finally {
    api.close();
  }
}

/** The comment at the top of a module, in one line. */
function aboutOf(source) {
  const [, comment = ""] = source.match(/^\/\*\*(.*?)(@packageDocumentation\s*)?\*\//s) ?? [];
  return comment
    .replaceAll(/\s*\n \*/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * Finds the section of each name that a module exports, which is the line comment above ("" in a module without sections), and
 * whether it is exported as a type only. Modules of which it exports everything come first.
 */
function placesOf(path) {
  const source = readFileSync(path, "utf8");
  const whole = Array.from(source.matchAll(/^export \* from "(.*)\.js";$/gm), ([, module]) =>
    placesOf(join(dirname(path), `${module}.ts`)),
  );
  const places = source.split(/^\/\/ /m).flatMap((text, i) => {
    const section = i === 0 ? "" : text.slice(0, text.indexOf("\n"));
    const own = Array.from(
      text.matchAll(/^export (?:async )?(function|class|const|interface|type) (\w+)/gm),
      ([, kind, name]) => [name, { section, typeOnly: kind === "interface" || kind === "type" }],
    );
    const passedOn = Array.from(text.matchAll(/^export (type )?\{([^}]*)\}/gm), ([, types, list]) =>
      Array.from(list.matchAll(/(type )?(\w+)\s*(?:,|$)/g), ([, type, name]) => [
        name,
        { section, typeOnly: Boolean(types ?? type) },
      ]),
    );
    return [...own, ...passedOn.flat()];
  });
  return new Map([...whole.flatMap((one) => [...one]), ...places]);
}

function exportsOf(project, file, places) {
  const { program, checker } = project;
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  const sections = [...new Set(Array.from(places.values(), ({ section }) => section))];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({ ...described(symbol, project), ...places.get(symbol.name) }))
    .sort(
      (a, b) =>
        sections.indexOf(a.section) - sections.indexOf(b.section) ||
        Number(a.typeOnly) - Number(b.typeOnly) ||
        a.name.localeCompare(b.name, "en"),
    );
}

function described(exported, project) {
  const { checker } = project;
  const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declarations = symbol.declarations.map((handle) => handle.resolve(project));
  return {
    name: exported.name,
    comment: symbol.getDocumentationComment(checker),
    code: isDerived(declarations[0])
      ? `type ${exported.name} = ${writtenOut(symbol, project)};`
      : declarations.map(codeOf).join("\n"),
  };
}

/** Whether a type is that of a schema, which says nothing to a reader. */
function isDerived(declaration) {
  return /^export type \w+ = z\.(input|output)</.test(declaration.getText());
}

/** A type with all its fields. */
function writtenOut(symbol, { checker, emitter }) {
  const flags =
    NodeBuilderFlags.InTypeAlias | NodeBuilderFlags.NoTruncation | NodeBuilderFlags.MultilineObjectLiterals;
  const node = checker.typeToTypeNode(checker.getDeclaredTypeOfSymbol(symbol), undefined, flags);
  return indented(emitter.printNode(node));
}

/** A declaration as one would write it, without what is private. */
function codeOf(declaration) {
  // A variable is declared in a list in a statement, which says that it is a constant.
  const isVariable = /^[\w$]+\s*[:=]/.test(declaration.getText());
  const text = (isVariable ? declaration.parent.parent : declaration).getText();
  const code = text
    .replace(/^export (declare )?/, "")
    .replaceAll(/^ *(#private;|private .*;)\n/gm, "")
    .replaceAll('import("preact").', "");
  return indented(code) + propsOf(code, declaration);
}

/** The properties of a component, which its file alone declares. */
function propsOf(code, declaration) {
  const [, name] = code.match(/^function .*: (\w+Props)\): /s) ?? [];
  if (name === undefined) return "";
  const file = declaration.getSourceFile().getText();
  const [props] = file.match(new RegExp(`^interface ${name} .*?^}`, "ms")) ?? [];
  return props === undefined ? "" : `\n\n${indented(props)}`;
}

/** Code with two spaces for each step in place of four. */
function indented(code) {
  return code.replaceAll(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2));
}

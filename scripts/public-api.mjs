/**
 * What the packages export, with comments and declarations, as the compiler sees it in their built declaration files. The
 * compiler's API is marked unstable; the version of TypeScript is fixed, and only this file uses it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, NodeBuilderFlags, SymbolFlags } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("..", import.meta.url));
const config = fileURLToPath(new URL("tsconfig.api.json", import.meta.url));

/** Lists the doors of all packages that are published, `vouch` first, with their declaration files; the script of threads exports nothing. */
function findDoors() {
  const folders = readdirSync(join(root, "packages")).sort(
    (a, b) => Number(b === "vouch") - Number(a === "vouch"),
  );
  return folders.flatMap((folder) => {
    const text = readFileSync(join(root, "packages", folder, "package.json"), "utf8");
    const { name, private: isPrivate = false, exports = {} } = JSON.parse(text);
    return Object.entries(isPrivate ? {} : exports)
      .filter(([path]) => !path.includes("*") && path !== "./worker")
      .map(([path, { types }]) => ({ name: path.replace(".", name), file: join("packages", folder, types) }));
  });
}

/**
 * Every module that users import from: what it says of itself, and its exports in the order of its sections, in each first the
 * values, then the types, by name.
 */
export function publicApi() {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    return findDoors().map(({ name, file }) => {
      const source = file
        .replaceAll("\\", "/")
        .replace("/dist/", "/src/")
        .replace(/\.d\.ts$/, ".ts");
      const about = aboutOf(readFileSync(root + source, "utf8"));
      return { name, source, about, exports: exportsOf(project, root + file, placesOf(root + source)) };
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

/** Returns whether a type comes from a schema, which says nothing to a reader. */
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

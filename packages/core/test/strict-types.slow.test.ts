import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const PROGRAM = `
import { type Certificate, type Learner, certify, dbn, forest, learnerNames, mlp, type Model, oneVsRest, sae, svm, Table, trainClassifier } from "vouch";
import * as bounds from "vouch/theory";
import * as predicting from "vouch/predict";
import * as extending from "vouch/extend";
import * as node from "vouch/node";

const candidates: Learner[] = [forest({ trees: 10 }), svm(), mlp(), dbn(), sae(), oneVsRest({ base: mlp() })];
const table = Table.fromRecords("rows", [{ size: 1, label: "a" }, { size: 2, label: "b" }]);
for (const learner of candidates) {
  const { classifier } = await trainClassifier(table, learner, { holdout: 0.5 });
  const certificates: Certificate[] = certify(classifier, { confidence: 0.9 });
  const model: Model = classifier.model;
  console.log(certificates, model, bounds, extending, node, predicting, learnerNames());
}
`;

// Bundlers build pages: without the types of Node.
it.each(["nodenext", "bundler"])(
  "the declarations hold in the strictest project, with modules resolved as %s does",
  (moduleResolution) => {
    const inside = join(root, ".vouch");
    mkdirSync(inside, { recursive: true });
    const folder = mkdtempSync(join(inside, "strict-types-"));
    try {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        target: "es2023",
        lib: ["es2023", "dom"],
        types: moduleResolution === "bundler" ? [] : ["node"],
        module: moduleResolution === "bundler" ? "esnext" : "nodenext",
        moduleResolution,
      };
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["program.ts"] }),
      );
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      writeFileSync(join(folder, "program.ts"), PROGRAM);
      expect(compile(folder)).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  60_000,
);

/** What the compiler has to say of a project. */
function compile(folder: string): string {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    return "";
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  }
}

import { spawnSync } from "node:child_process";

/** The program that runs an R script, if there is one and it has the package. */
export function findR(packageName: string): string | undefined {
  const check = `library(${packageName})`;
  return spawnSync("Rscript", ["-e", check]).status === 0 ? "Rscript" : undefined;
}

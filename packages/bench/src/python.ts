import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const peers = fileURLToPath(new URL("../peers/", import.meta.url));

/** The path of a script in `peers/`. */
export function peerScript(name: string): string {
  return `${peers}${name}`;
}

/**
 * A Python that has all the modules, and finds all shared libraries: the system's own, where Debian's packages are, or
 * the one on the PATH.
 */
export function findPython(
  modules: readonly string[],
  libraries: readonly string[] = [],
): string | undefined {
  const imports = ["ctypes", ...modules].map((module) => `import ${module}`);
  const loads = libraries.map((library) => `ctypes.CDLL("${library}")`);
  const check = [...imports, ...loads].join("\n");
  return ["/usr/bin/python3", "python3"].find((python) => spawnSync(python, ["-c", check]).status === 0);
}

/** Environment that limits the threads of the numerical libraries. */
export function threadLimits(threads: number): Record<string, string> {
  const names = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"];
  return Object.fromEntries(names.map((name) => [name, String(threads)]));
}

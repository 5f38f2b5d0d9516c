import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** The packages that `npm install --omit=optional` leaves out. */
type OptionalPackage = "@vouch/cluster" | "@vouch/onnx" | "@vouch/report" | "@vouch/serve" | "@vouch/studio";

/** Checks in advance that an optional package is installed; `purpose` is what needs it. */
export function checkInstalled(name: OptionalPackage, purpose: string): void {
  try {
    import.meta.resolve(name);
  } catch (cause) {
    throw new VouchError("package/missing", `${purpose} needs the package ${name}, which is not installed.`, {
      hint: `Run npm install ${name}, with --global if vouch is installed globally.`,
      cause,
    });
  }
}

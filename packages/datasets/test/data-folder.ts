import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const besideTheProject = fileURLToPath(new URL("../../../../shared/data", import.meta.url));

/** Folder with all data sets of the experiments: `VOUCH_DATA`, or the one beside the project, if any. */
export const dataFolder: string | undefined =
  process.env.VOUCH_DATA || (existsSync(besideTheProject) ? besideTheProject : undefined);

import * as z from "zod";
import { MISSING_BIN } from "./binned-columns.js";

/** Range of the number of bins: bins are bytes, and one is for missing cells. */
export const binLimit = z.int().min(2).max(MISSING_BIN);

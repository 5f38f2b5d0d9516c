import { z } from "zod";

/** A stump is found exactly: there is nothing to choose. */
export const stumpOptions = z.object({});

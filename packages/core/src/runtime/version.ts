/** The version of vouch, as in its package.json; model files carry it. */
export const VERSION = "0.1.0";

import type { PublicModule } from "./public-api.mjs";
export function apiPages(modules: readonly PublicModule[]): Map<string, string>;

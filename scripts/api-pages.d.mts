import type { PublicModule } from "./public-api.mjs";
export function apiPages(modules: readonly PublicModule[]): Map<string, string>;
export function withLearners(index: string): string;
export function withPlayground(page: string, learner: string): string;
export function withOptions(page: string): string;

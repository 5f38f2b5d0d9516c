export const browserFlags: string[];
export function findBrowser(): string | undefined;

export const browserFlags: string[];
export function findBrowser(): string | undefined;
export function provideBrowser(): void;

export function generatedPages(): Promise<Map<string, string>>;

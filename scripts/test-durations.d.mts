export interface TestDurations {
  readonly cores: number;
  readonly seconds: number;
  readonly files: Readonly<Record<string, number>>;
}
export function testDurations(): TestDurations;
export function slowTests(): string[];
export function timeOfAllTests(): string;

/** Language and theme of a page. */
export type Appearance = readonly [locale: 'en-GB' | 'zh-CN', colorScheme: 'light' | 'dark'];

const ALL: readonly Appearance[] = [
  ['zh-CN', 'dark'],
  ['en-GB', 'light'],
  ['en-GB', 'dark'],
  ['zh-CN', 'light'],
];

const isEvery = process.env['EVERY_LOOK'] !== undefined;

/** The proof `looks` (EVERY_LOOK) uses every combination; tests use the one that differs most from the authors' own. */
export const APPEARANCES: readonly Appearance[] = isEvery ? ALL : ALL.slice(0, 1);

/** Whether a test of this title runs: the proof leaves out tests that do not depend on the appearance. */
export const isTestRun = (name: string): boolean => !isEvery || ALL.some(([locale]) => name.includes(locale));

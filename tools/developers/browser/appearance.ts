/** Language and theme of a page. */
export type Appearance = readonly [locale: 'en-GB' | 'zh-CN', colorScheme: 'light' | 'dark'];

const ALL: readonly Appearance[] = [
  ['zh-CN', 'dark'],
  ['en-GB', 'light'],
  ['en-GB', 'dark'],
  ['zh-CN', 'light'],
];

const isEvery = process.env['EVERY_LOOK'] !== undefined;

/** The proof `looks` (EVERY_LOOK) takes every look; tests take the one that is most unlike where a page is written. */
export const APPEARANCES: readonly Appearance[] = isEvery ? ALL : ALL.slice(0, 1);

/** Whether a story of this name is played: the proof leaves out what no look changes. */
export const isTestRun = (name: string): boolean => !isEvery || ALL.some(([locale]) => name.includes(locale));

import { effect, signal } from '@preact/signals';
import { storedText, storeText } from './stored-text.ts';

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

const isLanguage = (given: string | null): given is Language => LANGUAGES.some((one) => one === given);

/** What was chosen here before, else the first of the browser's languages that there is. */
const first = (): Language => {
  const kept = storedText('language');
  if (isLanguage(kept)) return kept;
  return navigator.languages.some((one) => /^zh\b/i.test(one)) && !/^en\b/i.test(navigator.language) ? 'zh-CN' : 'en';
};

export const language = signal<Language>(first());

export const chooseLanguage = (chosen: Language): void => {
  storeText('language', chosen);
  language.value = chosen;
};

effect(() => {
  document.documentElement.lang = language.value;
});

type Text = string | ((...args: never[]) => string);
export interface InBoth<T extends Text> {
  en: T;
  zh: T;
}
type Table = Readonly<Record<string, InBoth<Text>>>;
/** Both languages take the same, so that none is missing a number or a name. */
type Alike<T extends Table> = { [K in keyof T]: InBoth<T[K]['en'] extends string ? string : T[K]['en']> };
type Texts<T extends Table> = { readonly [K in keyof T]: T[K]['en'] extends string ? string : T[K]['en'] };

/** The text in the language that is chosen. */
export const inLanguage = <T extends Text>({ en, zh }: InBoth<T>): T => (language.value === 'en' ? en : zh);

/**
 * Texts of one screen, each in all languages beside each other; a missing one does not compile. Read while a component
 * renders, they follow the language that is chosen.
 */
export const texts = <const T extends Table>(table: T & Alike<T>): Texts<T> => {
  const found = {};
  for (const [name, both] of Object.entries<InBoth<Text>>(table))
    Object.defineProperty(found, name, { get: () => inLanguage(both), enumerable: true });
  return found as Texts<T>;
};

/** `1 lesson`, `2 lessons`: English words by number; Chinese ones stay as they are. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

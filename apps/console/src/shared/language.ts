import { effect, signal } from '@preact/signals';
import { storedText, storeText } from './stored-text.ts';

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

const isLanguage = (text: string | null): text is Language => LANGUAGES.some((known) => known === text);

/** The language chosen earlier in this browser; else the browser's preferred one. */
const initialLanguage = (): Language => {
  const stored = storedText('language');
  if (isLanguage(stored)) return stored;
  return navigator.languages.some((preferred) => /^zh\b/i.test(preferred)) && !/^en\b/i.test(navigator.language)
    ? 'zh-CN'
    : 'en';
};

export const language = signal<Language>(initialLanguage());

export const chooseLanguage = (chosen: Language): void => {
  storeText('language', chosen);
  language.value = chosen;
};

effect(() => {
  document.documentElement.lang = language.value;
});

type Text = string | ((...args: never[]) => string);
export interface Translation<T extends Text> {
  en: T;
  zh: T;
}
type Table = Readonly<Record<string, Translation<Text>>>;
/** Requires the same parameters in both languages, so that neither misses a number or a name. */
type SameParameters<T extends Table> = { [K in keyof T]: Translation<T[K]['en'] extends string ? string : T[K]['en']> };
type Texts<T extends Table> = { readonly [K in keyof T]: T[K]['en'] extends string ? string : T[K]['en'] };

/** The text in the chosen language. */
export const inLanguage = <T extends Text>({ en, zh }: Translation<T>): T => (language.value === 'en' ? en : zh);

/**
 * Texts of one screen in all languages; a missing translation does not compile. A component that reads them renders
 * again when the language changes.
 */
export const texts = <const T extends Table>(table: T & SameParameters<T>): Texts<T> => {
  const found = {};
  for (const [name, both] of Object.entries<Translation<Text>>(table))
    Object.defineProperty(found, name, { get: () => inLanguage(both), enumerable: true });
  return found as Texts<T>;
};

/** `1 lesson`, `2 lessons`: an English count with its noun. Chinese nouns have no plural. */
export const countText = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `clazz_full` → `ClazzFull` */
export const pascal = (text: string): string =>
  text.replaceAll(/(^|[_.-])([a-z0-9])/g, (_all, _before, letter: string) => letter.toUpperCase());

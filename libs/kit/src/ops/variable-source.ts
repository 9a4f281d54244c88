import { readFileSync } from 'node:fs';
import type { LiveValue } from '../base/live-value.ts';

/** A file is looked at again when its content is asked for, and at most this often. */
const LOOK_MS = 1_000;

/** Says that a file that was right once is not any more; what it held before stays in force. */
export type ReportFault = (trouble: string) => void;

/** How files of variables are read again: by which clock, and who is told what is wrong with them then. */
export interface RereadOptions {
  clock: () => number;
  tell: ReportFault;
}

/** What became of a text: what it stands for, or what is wrong with it, without the text. */
export type ParsedText<T> = { value: T } | { wrong: string };

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';

/** The content of a file without space around it; else what is wrong, which never says what it holds. */
export const readContent = (file: string): ParsedText<string> => {
  try {
    const value = readFileSync(file, 'utf8').trim();
    return value === '' ? { wrong: `names an empty file: ${file}` } : { value };
  } catch (error) {
    return { wrong: `names a file that cannot be read: ${file} (${codeOf(error)})` };
  }
};

/** What an environment says of a variable: by its value, or by the name of a file that holds it. */
export class VariableSource {
  /** What it said at first. */
  readonly text: string;
  readonly #name: string;
  readonly #file: string | undefined;
  readonly #reading: RereadOptions;

  constructor(name: string, text: string, reading: RereadOptions, file?: string) {
    this.#name = name;
    this.text = text;
    this.#reading = reading;
    this.#file = file;
  }

  /** Behind what is said of it: where somebody has to look. */
  get where(): string {
    return this.#file === undefined ? '' : ` (in ${this.#file})`;
  }

  /**
   * The value as it is now, where `first` is what it was. A file is read again; while it is missing, empty or wrong, the
   * last value that was right stays, and that is told once.
   */
  live<T>(first: T, understand: (text: string) => ParsedText<T>): LiveValue<T> {
    const file = this.#file;
    if (file === undefined) return () => first;
    const { clock, tell } = this.#reading;
    let [text, value, lookedAt, told] = [this.text, first, clock(), ''];
    const look = (): string => {
      const content = readContent(file);
      if ('wrong' in content) return `${this.#name}_FILE ${content.wrong}`;
      if (content.value === text) return '';
      const understood = understand(content.value);
      if ('wrong' in understood) return `${this.#name} ${understood.wrong}${this.where}`;
      [text, value] = [content.value, understood.value];
      return '';
    };
    return () => {
      const now = clock();
      if (now - lookedAt < LOOK_MS) return value;
      lookedAt = now;
      const trouble = look();
      if (trouble !== '' && trouble !== told) tell(`${trouble}; what it held before stays in force`);
      told = trouble;
      return value;
    };
  }
}

import { readFileSync } from 'node:fs';
import type { LiveValue } from '../base/live-value.ts';

/** A file is read again when its value is used, at most this often, in milliseconds. */
const REREAD_MS = 1_000;

/** Reports that a file that was valid no longer is. Its last valid value stays in use. */
export type ReportFault = (problem: string) => void;

/** Options for reading files of variables again: the clock, and the report of later problems. */
export interface RereadOptions {
  clock: () => number;
  report: ReportFault;
}

/** The result of parsing a text: its value, or the problem without the text. */
export type ParsedText<T> = { value: T } | { wrong: string };

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';

/** The trimmed content of a file, or the problem, which never contains the content. */
export const readContent = (file: string): ParsedText<string> => {
  try {
    const value = readFileSync(file, 'utf8').trim();
    return value === '' ? { wrong: `names an empty file: ${file}` } : { value };
  } catch (error) {
    return { wrong: `names a file that cannot be read: ${file} (${codeOf(error)})` };
  }
};

/** The source of a variable's value: the environment, or the file that it names. */
export class VariableSource {
  /** The first text. */
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

  /** Suffix of problem messages that names the file. */
  get suffix(): string {
    return this.#file === undefined ? '' : ` (in ${this.#file})`;
  }

  /**
   * The current value; `first` is the initial one. A file is read again. While it is missing, empty or invalid, the
   * last valid value stays in use, and the problem is reported once.
   */
  live<T>(first: T, parse: (text: string) => ParsedText<T>): LiveValue<T> {
    const file = this.#file;
    if (file === undefined) return () => first;
    const { clock, report } = this.#reading;
    let [text, value, lookedAt, reported] = [this.text, first, clock(), ''];
    const look = (): string => {
      const content = readContent(file);
      if ('wrong' in content) return `${this.#name}_FILE ${content.wrong}`;
      if (content.value === text) return '';
      const parsed = parse(content.value);
      if ('wrong' in parsed) return `${this.#name} ${parsed.wrong}${this.suffix}`;
      [text, value] = [content.value, parsed.value];
      return '';
    };
    return () => {
      const now = clock();
      if (now - lookedAt < REREAD_MS) return value;
      lookedAt = now;
      const problem = look();
      if (problem !== '' && problem !== reported) report(`${problem}; the last valid value stays in use`);
      reported = problem;
      return value;
    };
  }
}

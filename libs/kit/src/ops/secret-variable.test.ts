import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorLines } from '../../../../tools/proofs/test/error-lines.ts';
import { readConfig } from './config.ts';
import { secretVariable } from './secret-variable.ts';
import { secret, text } from './variables.ts';
import type { RereadOptions } from './variable-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'teaching-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, 0o600);
  return path;
};

const SHAPE = { WORD: secretVariable(secret('the word', 6)), OTHER: secretVariable(text('another')).optional() };
const read = (env: Record<string, string>) => readConfig(z.object(SHAPE), env);
const problemLines = (env: Record<string, string>): string[] => errorLines(() => read(env));

describe('A secret variable', () => {
  it('is read from its value or from a file, whose content is trimmed', () => {
    expect(read({ WORD: 'hunter2' }).WORD()).toBe('hunter2');
    expect(read({ WORD_FILE: file('word', ' hunter2\n') }).WORD()).toBe('hunter2');
    expect(read({ WORD: 'hunter2', OTHER_FILE: file('other', 'x') }).OTHER?.()).toBe('x');
    expect(read({ WORD: 'hunter2', WORD_FILE: '' }).OTHER).toBeUndefined();
  });

  it('is reported by variable and file if it is invalid, never by its content', () => {
    const [empty, short, none] = [file('empty', ' \n'), file('short', 'nope'), join(folder, 'none')];
    expect(problemLines({})).toEqual(['WORD is not set: the word']);
    expect(problemLines({ WORD: 'hunter2', WORD_FILE: short })).toEqual([
      'WORD and WORD_FILE are both set: set only one of them',
    ]);
    expect(problemLines({ WORD_FILE: none })).toEqual([`WORD_FILE names a file that cannot be read: ${none} (ENOENT)`]);
    expect(problemLines({ WORD_FILE: folder })).toEqual([
      `WORD_FILE names a file that cannot be read: ${folder} (EISDIR)`,
    ]);
    expect(problemLines({ WORD_FILE: empty, OTHER_FILE: none })).toEqual([
      `WORD_FILE names an empty file: ${empty}`,
      `OTHER_FILE names a file that cannot be read: ${none} (ENOENT)`,
    ]);
    expect(problemLines({ WORD_FILE: short })).toEqual([`WORD must have at least 6 characters (in ${short})`]);
  });

  it('is read again when its file changes; while the file is invalid the last valid value stays, reported once', () => {
    const path = file('changing', 'first one');
    const troubles: string[] = [];
    let now = 0;
    const reading: RereadOptions = { clock: () => now, report: (trouble: string) => void troubles.push(trouble) };
    const { WORD } = readConfig(z.object(SHAPE), { WORD_FILE: path }, reading);
    const later = (content?: string): string => {
      if (content === undefined) rmSync(path);
      else file('changing', content);
      now += 1_000;
      return WORD();
    };
    file('changing', 'second one');
    expect(WORD()).toBe('first one');
    now = 1_000;
    expect(WORD()).toBe('second one');
    expect([later('no'), later('no'), later(), later('third one'), later('no')]).toEqual([
      ...Array.from({ length: 3 }, () => 'second one'),
      'third one',
      'third one',
    ]);
    const short = `WORD must have at least 6 characters (in ${path}); the last valid value stays in use`;
    const gone = `WORD_FILE names a file that cannot be read: ${path} (ENOENT); the last valid value stays in use`;
    expect(troubles).toEqual([short, gone, short]);
  });
});

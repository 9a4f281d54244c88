import { describe, expect, it } from 'vitest';
import { freeSubjects, hasBareName, speakingExports } from './words.ts';

describe('The check for free subjects', () => {
  it.each([
    'Who leaves is suspended.',
    '// Whoever asks gets an answer.',
    'The count of who is listed.',
    "it('names who has left', …): and who stays",
    '| who runs the database | to change it |',
    'Whatever is sent is answered.',
    '/** Roles of a call: who may call it. */',
  ])('finds one in %j', (text) => {
    expect(freeSubjects(text)).toHaveLength(1);
  });

  it.each([
    'A member who leaves is suspended.',
    'Their mother, who sees the money.',
    ' * the people\n * who may read it',
    'The page says who decides.',
    'Who decides this leave?',
    "const who = 'ada'; call({ who: STAFF })",
  ])('finds none in %j', (text) => {
    expect(freeSubjects(text)).toEqual([]);
  });

  it('names the line', () => {
    expect(freeSubjects('one\n\n * two\n * Whoever leaves')).toMatchObject([{ line: 4 }]);
  });
});

describe('The check of file names', () => {
  it.each(['src/base/within.ts', 'src/listed.tsx', 'src/reading.test.ts'])('refuses %s', (path) => {
    expect(hasBareName(path)).toBe(true);
  });

  it.each(['src/leave.rules.ts', 'src/marking.rules.ts', 'src/named-members.rules.ts'])('accepts %s', (path) => {
    expect(hasBareName(path)).toBe(false);
  });
});

describe('The check of exported functions', () => {
  it('refuses functions that begin with tell, hear, say or ask', () => {
    const source = 'export const tellHosts = () => {};\nexport const taskOf = 1;\nexport const askFor = () => {};';
    expect(speakingExports(source).map(({ line }) => line)).toEqual([1, 3]);
  });
});

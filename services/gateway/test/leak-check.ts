import { type OneOfEach, OURS } from '../../../tools/proofs/test/one-of-each.ts';

type Kind = keyof OneOfEach;

/** What others have, too. */
const COMMON: readonly Kind[] = ['student', 'teacher', 'version', 'next_version'];
const PEOPLE: readonly Kind[] = ['student', 'teacher', 'leaver'];
/** What everybody who may see courses and packages sees. */
const CATALOGUE: readonly Kind[] = [
  'category',
  'course',
  'section',
  'group',
  'package',
  'item',
  'version',
  'next_version',
  'hash',
  'next_hash',
];

const idsBut = (our: OneOfEach, ...kinds: Kind[]): string[] =>
  Object.entries(our).flatMap(([kind, id]) => (kinds.some((one) => one === kind) ? [] : [id]));
const holds = (said: unknown, words: readonly string[]): boolean => {
  const text = JSON.stringify(said);
  return words.some((word) => text.includes(word));
};

/** Whether what is said gives a record of ours away: its id, a text of it, or the organization. */
export const revealsRecord = (our: OneOfEach, org: string, said: unknown): boolean =>
  holds(said, [...idsBut(our, ...COMMON), OURS, org]);

/** Whether it holds a record of our family, beside what the whole school may see. */
export const isOfFamily = (our: OneOfEach, said: unknown): boolean =>
  holds(said, [...idsBut(our, ...CATALOGUE, ...PEOPLE), OURS, `"${our.student}"`]);

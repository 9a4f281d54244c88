import { describe, expect, it } from 'vitest';
import { appendToChain, checkChain, GENESIS } from './chain.rules.ts';
import {
  attachTexts,
  detachTexts,
  digestOf,
  noteField,
  peopleOfEntry,
  type AuditText,
  textFault,
} from './audit-texts.rules.ts';

const leave = {
  id: '1',
  org_id: 'o',
  clazz_id: 'c',
  clazz_ids: null,
  action: 'update' as const,
  entity: 'leave' as const,
  entity_id: 'l',
  actor_id: 'a',
  actor_roles: [],
  occurred_at: '2030-01-01T00:00:00.000Z',
  request_id: 'r',
  trace_id: 't',
  ip: null,
  reason: 'ill',
  changes: { status: { before: 'pending', after: 'approved' }, cancel_reason: { before: 'old', after: null } },
};
const byDigest = (texts: readonly AuditText[]) => new Map(texts.map((text) => [text.digest, text]));

describe('The texts of an entry', () => {
  it('are detached and attached again', () => {
    const { entry, texts } = detachTexts(leave, ['ann']);
    expect(JSON.stringify(entry)).not.toMatch(/ill|old/);
    expect(entry.changes.status).toEqual(leave.changes.status);
    expect(texts.map(({ text, people }) => [text, people])).toEqual([
      ['old', ['ann']],
      ['ill', ['ann']],
    ]);
    expect(attachTexts(entry, byDigest(texts))).toMatchObject(leave);
    const erased = texts.map((text) => ({ ...text, text: null, key: null }));
    expect(attachTexts(entry, byDigest(erased))).toMatchObject({
      reason: null,
      changes: { cancel_reason: { before: null } },
    });
  });

  it('have different digests, even for the same text', () => {
    const digests = [detachTexts(leave, []), detachTexts(leave, [])].flatMap(({ texts }) =>
      texts.map(({ digest }) => digest),
    );
    expect(new Set(digests).size).toBe(4);
  });

  it('are, for a roll call, the note of each student and the reason about all students', () => {
    const changes = {
      note: { before: null, after: 'present' },
      ann: { before: null, after: 'late' },
      [noteField('ann')]: { before: null, after: 'tired/~' },
    };
    const roll = { ...leave, entity: 'roll_call' as const, changes, reason: 'late entry' };
    expect(peopleOfEntry(roll)).toEqual(['note', 'ann']);
    const { entry, texts } = detachTexts(roll, peopleOfEntry(roll));
    expect(entry.changes['note']).toEqual(changes.note);
    expect(entry.texts?.map(({ path }) => path)).toEqual(['/changes/note~1ann/after', '/reason']);
    expect(texts.map(({ people }) => people)).toEqual([['ann'], ['note', 'ann']]);
  });
});

describe('A chain with texts beside it', () => {
  const { entry, texts } = detachTexts(leave, []);
  const chain = appendToChain({ entries: 0, hash: GENESIS }, [entry]);
  const check = (known: ReadonlyMap<string, AuditText>, former = new Map<number, string>()) =>
    checkChain({ entries: 0, hash: GENESIS }, chain, { texts: known, former }).broken?.why;
  const [one] = texts;

  it.each([
    ['is valid with its texts', texts, undefined],
    ['is valid without erased texts', texts.map((it) => ({ ...it, text: null, key: null })), undefined],
    ['is broken by another text', texts.with(0, { ...one!, text: 'new' }), /does not match its digest/],
    [
      'is broken by another text with its own key',
      texts.with(0, { ...one!, text: 'new', key: 'ab' }),
      /not match its digest/,
    ],
    ['is broken without one of its texts', texts.slice(1), /missing/],
  ])('%s', (_name, known, why) => {
    if (why === undefined) expect(check(byDigest(known))).toBeUndefined();
    else expect(check(byDigest(known))).toMatch(why);
  });

  it('covers the digests and the former hash of an entry', () => {
    const other = [{ ...chain[0]!, texts: [{ path: '/reason', digest: digestOf('00', 'x') }] }];
    expect(checkChain({ entries: 0, hash: GENESIS }, other).broken?.why).toMatch(/content/);
    const [before] = appendToChain({ entries: 0, hash: GENESIS }, [{ ...leave, texts: null }]);
    expect(check(byDigest(texts), new Map([[1, before!.hash]]))).toBeUndefined();
    expect(check(byDigest(texts), new Map([[1, GENESIS]]))).toMatch(/the hash it had before/);
  });

  it('is valid for an entry without texts', () => expect(textFault(null, new Map())).toBeUndefined());
});

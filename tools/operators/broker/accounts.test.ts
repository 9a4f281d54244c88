import { describe, expect, it } from 'vitest';
import { accountsOf, covers } from './accounts.ts';
import { declarations } from './declarations.ts';
import { Reader } from './outside-reader.ts';
import { newKey } from './reader-account.ts';

describe('A pattern', () => {
  it.each([
    ['beat.*', 'beat.clazz'],
    ['_INBOX_course.>', '_INBOX_course.clazz.>'],
    ['call.clazz.*.*.>', 'call.clazz.*.gateway.>'],
    ['call.clazz.*.*.>', 'call.clazz.*.course.roster.get'],
    ['evt.*.clazz.>', 'evt.*.clazz.>'],
  ])('%s covers %s', (pattern, subject) => {
    expect(covers(pattern, subject)).toBe(true);
  });

  it.each([
    ['beat.clazz', 'beat.*'],
    ['beat.*', 'beat.clazz.one'],
    ['beat.*', 'beat.>'],
    ['evt.*.clazz.>', 'evt.*.clazz'],
    ['evt.*.clazz.>', 'evt.*.*.>'],
    ['hint.*.*', 'hint.watched'],
  ])('%s does not cover %s', (pattern, subject) => {
    expect(covers(pattern, subject)).toBe(false);
  });
});

describe('The accounts of the broker', () => {
  const reader = Reader.parse({
    name: 'data-lake',
    nkey: newKey().nkey,
    org_id: null,
    logs: [{ service: 'clazz', log: 'domain' }],
  });
  const accounts = accountsOf(declarations, [reader], []);
  const named = (name: string) => {
    const found = accounts.find((account) => account.name === name);
    if (found === undefined) throw new Error(`there is no account ${name}`);
    return found;
  };

  it('offer to others only the subjects that their users may publish, and services only to operators and readers', () => {
    for (const { exports, permissions } of accounts)
      for (const { kind, subject, to } of exports) {
        if (kind === 'stream') expect(permissions.publish).toContain(subject);
        else expect([['ADMIN'], ['READER_DATA_LAKE']]).toContainEqual(to);
      }
  });

  it('receive only what another account offers to them', () => {
    for (const { name, imports } of accounts)
      for (const { kind, from, subject } of imports)
        expect(
          named(from).exports.filter((one) => one.kind === kind && one.subject === subject && one.to.includes(name)),
        ).toHaveLength(1);
  });

  it('let a reader use the requests for its own consumer, and nothing else', () => {
    const { imports, exports, streams } = named('READER_DATA_LAKE');
    expect([exports, streams]).toEqual([[], 0]);
    expect(imports.map(({ from, subject }) => `${from} ${subject}`)).toEqual([
      'CLAZZ $JS.API.CONSUMER.INFO.EVENTS_CLAZZ.reader_data-lake',
      'CLAZZ $JS.API.CONSUMER.MSG.NEXT.EVENTS_CLAZZ.reader_data-lake',
      'CLAZZ $JS.ACK.EVENTS_CLAZZ.reader_data-lake.>',
    ]);
  });
});

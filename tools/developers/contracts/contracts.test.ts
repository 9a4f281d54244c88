import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BrokerUser, call } from '../../../libs/contracts/src/call.ts';
import { event, type EventDef, type Role, type Access } from '../../../libs/contracts/src/index.ts';
import { acceptContracts } from './accept-contracts.ts';
import { brokenContracts, textOfBreak } from './compare-contracts.ts';
import { contractsOf, currentContracts, recordedContracts } from './record.ts';

/** v1 only grows. Recorded contracts must still hold; `npm run contracts` records additions. */
describe('The contracts', () => {
  const [recorded, current] = [recordedContracts(), currentContracts()];
  it('break no recorded call or event', () => expect(brokenContracts(recorded, current).map(textOfBreak)).toEqual([]));
  it('are recorded', () => expect(recorded, 'run `npm run contracts` and commit the record').toEqual(current));
});

const Row = z.object({ id: z.string() });
const moved = event('a.b.moved', 'Moved', Row);
const folder = mkdtempSync(join(tmpdir(), 'teaching-contracts-'));
const file = join(folder, 'contracts.json');
const accept = (...events: EventDef[]): string[] =>
  acceptContracts(file, contractsOf({}, events)).flatMap(({ id, changes }) => changes.map((it) => `${id} ${it}`));
beforeEach(() => writeFileSync(file, JSON.stringify(contractsOf({}, [moved]))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('Recording the contracts', () => {
  it('records additions', () => {
    const added = [
      event('a.b.moved', 'Moved', Row.extend({ to: z.string().optional() })),
      event('a.b.gone', 'Gone', Row),
    ];
    expect(accept(...added)).toEqual([]);
    expect(recordedContracts(file)).toEqual(contractsOf({}, added));
  });

  it('refuses a field that the history lacks, names the remedy, and leaves the record unchanged', () => {
    const before = readFileSync(file, 'utf8');
    const broken = acceptContracts(
      file,
      contractsOf({}, [event('a.b.moved', 'Moved', Row.extend({ to: z.string() }))]),
    );
    expect(broken.map(textOfBreak).join('\n')).toBe(
      [
        'a.b.moved.v1',
        '  read from the history: /to is now mandatory',
        '  → Leave a.b.moved.v1 as it is, declare a.b.moved.v2 beside it ({ version: 2 }), and mark the old one replaced_by it.',
      ].join('\n'),
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('accepts a new version beside the old one, which must stay', () => {
    const next = event('a.b.moved', 'Moved', z.object({ to: z.int() }), { version: 2 });
    const replaced = event('a.b.moved', 'Moved', Row, { replaced_by: next.type });
    expect(accept(next)).toEqual(['a.b.moved.v1 is gone; the history has events of it, which must stay readable']);
    expect(accept(replaced)).toEqual(['a.b.moved.v1 is replaced by a.b.moved.v2, which is not declared']);
    expect(accept(replaced, next)).toEqual([]);
    expect(accept(next)).toHaveLength(1);
  });

  it('accepts a decided break only in its calls and at its place', () => {
    const answering = (output: z.ZodType) =>
      contractsOf(
        {
          readB: call({
            id: 'a.b.read',
            http: 'GET /b',
            summary: 'Reads',
            roles: ['TEACHER'],
            access: 'all',
            writes: false,
            output,
          }),
        },
        [],
      );
    const [before, after] = [answering(Row), answering(Row.extend({ id: z.string().nullable() }))];
    const decided = [{ calls: /^a\.b\.read$/, change: /^answer \/id may now be null$/, because: 'ids were made up' }];
    writeFileSync(file, JSON.stringify(before));
    expect(acceptContracts(file, after, [])).toHaveLength(1);
    expect(acceptContracts(file, answering(z.object({ id: z.int() })), decided)).toHaveLength(1);
    expect(acceptContracts(file, after, decided)).toEqual([]);
    expect(recordedContracts(file)).toEqual(after);
  });

  it('refuses a new enum value, which a strict reader would reject', () => {
    const stateOf = (...states: string[]) =>
      event('a.b.moved', 'Moved', Row.extend({ state: z.enum(states).optional() }));
    expect(accept(stateOf('on'))).toEqual([]);
    expect(accept(stateOf('on', 'off'))).toEqual(['a.b.moved.v1 seen by subscribers: /state may now be "off"']);
  });

  it('accepts a new value of an enum that was recorded as open, in events and answers', () => {
    const open = { 'x-open-enum': true };
    const withStates = (states: string[], meta = open) =>
      event('a.b.moved', 'Moved', Row.extend({ state: z.enum(states).meta(meta).nullable().optional() }));
    // Declaring an enum open and growing it at once would surprise readers of the record.
    expect(accept(withStates(['on'], {} as typeof open))).toEqual([]);
    expect(accept(withStates(['on', 'off']))).toEqual(['a.b.moved.v1 seen by subscribers: /state may now be "off"']);
    expect(accept(withStates(['on']))).toEqual([]);
    expect(accept(withStates(['on', 'off']))).toEqual([]);
    expect(accept(withStates(['on']))).toEqual(['a.b.moved.v1 read from the history: /state no longer takes "off"']);
  });

  it('refuses an event whose stored form cannot be read', () => {
    const sum = event('a.b.sum', 'Sum', z.object({ n: z.int().transform(String).pipe(z.string()) }));
    expect(accept(moved, sum)).toEqual(['a.b.sum.v1 cannot be read again as it is stored: /n no longer takes string']);
  });
});

describe('A call', () => {
  const spec = {
    id: 'a.b.move',
    http: 'POST /b/{id}',
    summary: 'Moves',
    roles: ['TEACHER', 'STUDENT'],
    access: 'all',
    writes: true,
    errors: ['in_use'],
    other_type: 'text/csv',
    path: { id: z.string() },
    query: { n: z.int().max(100).optional() },
    body: z.object({ a: z.string().optional(), list: z.array(z.string().max(9)).optional() }),
    output: Row.extend({ state: z.enum(['on', 'off']) }),
  } as const;
  const { output } = spec;
  type After = Partial<Omit<Parameters<typeof call>[0], 'roles' | 'access' | 'called_by'>> &
    (
      | { roles?: readonly [Role, ...Role[]]; access?: Access }
      | { roles: 'anyone'; access: undefined }
      | { roles: 'service'; access: undefined; called_by: readonly [BrokerUser, ...BrokerUser[]] }
    );
  const changes = (after: After): string[] => {
    const [old, now] = [call(spec), call({ ...spec, ...after })].map((moveB) => contractsOf({ moveB }, []));
    return old === undefined || now === undefined ? [] : brokenContracts(old, now).flatMap((it) => it.changes);
  };

  it.each([
    ['a caller less', { roles: ['TEACHER'] }, ['can no longer be called by STUDENT']],
    ['other callers', { roles: 'anyone', access: undefined }, []],
    ['a caller more', { roles: ['TEACHER', 'STUDENT', 'SUPERVISOR'] }, []],
    [
      'services only',
      { roles: 'service', access: undefined, called_by: ['stats'] },
      ['can no longer be called by TEACHER', 'can no longer be called by STUDENT'],
    ],
    ['what a role reaches', { access: { TEACHER: 'all', STUDENT: 'self' } }, ['STUDENT no longer reaches everything']],
    ['another route', { http: 'PUT /b/{id}' }, ['moved from POST /b/{id} to PUT /b/{id}']],
    ['another status', { status: 201 }, ['answers 201 instead of 200']],
    ['a code less', { errors: [] }, ['no longer refuses with in_use']],
    ['a further code', { errors: ['duplicate', 'in_use'] }, []],
    ['a content type less', { other_type: undefined }, ['no longer answers text/csv']],
    [
      'a tighter limit',
      { query: { n: z.int().max(50).optional() } },
      ['query /n has a tighter maximum: 50 instead of 100'],
    ],
    [
      'a limit in the path',
      { path: { id: z.string().max(9) } },
      ['path /id has a tighter maxLength: 9 instead of none'],
    ],
    [
      'a tighter limit deep in the body',
      { body: z.object({ a: z.string().optional(), list: z.array(z.string().max(8)).optional() }) },
      ['body /list/* has a tighter maxLength: 8 instead of 9'],
    ],
    ['a wider limit', { query: { n: z.int().max(200).optional() } }, []],
    ['a mandatory field', { body: spec.body.extend({ a: z.string() }) }, ['body /a is now mandatory']],
    ['a field less in the answer', { output: output.omit({ id: true }) }, ['answer /id is gone']],
    ['a field more in the answer', { output: output.extend({ b: z.string() }) }, []],
    [
      'a new value in the answer',
      { output: output.extend({ state: z.enum(['on', 'off', 'broken']) }) },
      ['answer /state may now be "broken"'],
    ],
    ['a value less in the answer', { output: output.extend({ state: z.enum(['on']) }) }, []],
    ['null in the answer', { output: output.extend({ id: z.string().nullable() }) }, ['answer /id may now be null']],
  ] as const)('with %s', (_what, after, said) => expect(changes(after)).toEqual(said));

  it('may not be removed', () => {
    const [broken] = brokenContracts(contractsOf({ moveB: call(spec) }, []), contractsOf({}, []));
    expect(broken?.changes).toEqual(['is gone']);
  });

  it('may not change its operation id', () => {
    const [recorded, current] = [contractsOf({ moveB: call(spec) }, []), contractsOf({ shiftB: call(spec) }, [])];
    expect(brokenContracts(recorded, current).flatMap((it) => it.changes)).toEqual([
      'has the operation id shiftB instead of moveB',
    ]);
  });
});

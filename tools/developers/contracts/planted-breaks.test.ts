import { describe, expect, it } from 'vitest';
import { breakingChanges } from './breaking-changes.ts';
import { breaksOf } from './planted-breaks.ts';
import { brokenContracts } from './compare-contracts.ts';
import { type Contracts, type RecordedCall, recordedContracts } from './record.ts';
import type { Schema } from './schema.ts';
import type { Side } from './change-texts.ts';

const recorded = recordedContracts();
const calls = Object.entries(recorded.calls);
const events = Object.entries(recorded.events);

const schemasOf = (side: Side): [what: string, schema: Schema][] => [
  ...calls.flatMap(([id, { input, output }]): [string, Schema][] =>
    side === 'output' ? [[id, output]] : Object.entries(input).map(([part, schema]) => [`${id} ${part}`, schema]),
  ),
  ...events.map(([type, event]): [string, Schema] => [type, event[side]]),
];

/** Every break of one step. Many calls and events share a record: each is broken once. */
const breaks = (side: Side) => {
  const all = schemasOf(side).flatMap(([what, before]) =>
    breaksOf(before, side).map((one) => ({ ...one, before, what: `${what} ${one.what}` })),
  );
  return [...new Map(all.map((one) => [one.kind, one])).values()];
};

/** Every place of every recorded contract, broken in every way: a break that is not found could be released. */
describe.each([
  ['Requests and stored events', 'input', 'takes less'],
  ['Answers and published events', 'output', 'has more'],
] as const)('%s', (_what, side, how) => {
  it(`may change nowhere so that it ${how}`, { timeout: 60_000 }, () => {
    const tried = breaks(side);
    expect(tried.length).toBeGreaterThan(1_000);
    const missed = tried.filter(({ before, after }) => breakingChanges(before, after, side).length === 0);
    expect(missed.map(({ what }) => what)).toEqual([]);
  });
});

const holds = (id: string, after: Partial<RecordedCall>): boolean => {
  const before = recorded.calls[id];
  if (before === undefined) throw new Error(`${id} is not recorded`);
  const only = (call: RecordedCall): Contracts => ({ calls: { [id]: call }, events: {} });
  return brokenContracts(only(before), only({ ...before, ...after })).length === 0;
};

describe('Every call', () => {
  const kept = (change: (call: RecordedCall) => readonly Partial<RecordedCall>[]): string[] =>
    calls.flatMap(([id, call]) => (change(call).some((after) => holds(id, after)) ? [id] : []));

  it('may lose none of its roles', () => {
    const fewer = ({ who }: RecordedCall): Partial<RecordedCall>[] =>
      typeof who === 'string'
        ? [{ who: ['SUPERVISOR', 'TEACHER', 'STUDENT'] }, { who: 'service' }]
        : [...who.map((_role, index) => ({ who: who.toSpliced(index, 1) })), { who: 'service' }];
    expect(kept(fewer)).toEqual([]);
  });
  it('may narrow the access of none of its roles', () => {
    const less = ({ whose }: RecordedCall): Partial<RecordedCall>[] =>
      Object.entries(whose).flatMap(([role, rules]) =>
        rules === 'all'
          ? [{ whose: { ...whose, [role]: ['self'] } }]
          : rules.map((_rule, index) => ({ whose: { ...whose, [role]: rules.toSpliced(index, 1) } })),
      );
    expect(kept(less)).toEqual([]);
  });
  it('may not be removed, moved, or answer with another status or content type', () => {
    expect(kept(({ status }) => [{ status: status + 1 }])).toEqual([]);
    expect(kept(({ route }) => [{ route: `${route}/planted` }, { route: route.replace(/^\w+/, 'PLANTED') }])).toEqual(
      [],
    );
    expect(kept(({ also }) => (also === null ? [] : [{ also: null }, { also: 'text/plain' }]))).toEqual([]);
    const gone = calls.filter(
      ([id, call]) => brokenContracts({ calls: { [id]: call }, events: {} }, { calls: {}, events: {} }).length === 0,
    );
    expect(gone).toEqual([]);
  });
  it('may not change its operation id', () => {
    expect(kept(({ operation }) => [{ operation: `${operation}Planted` }])).toEqual([]);
  });
  it('may lose none of its error codes', () => {
    expect(kept(({ errors }) => errors.map((_code, index) => ({ errors: errors.toSpliced(index, 1) })))).toEqual([]);
  });
});

it('no event may be removed or lose a guarantee', () => {
  const kept = events.filter(([type, event]) => {
    const only = (found: typeof recorded.events): Contracts => ({ calls: {}, events: found });
    return brokenContracts(only({ [type]: event }), only({})).length === 0;
  });
  expect(kept).toEqual([]);
});

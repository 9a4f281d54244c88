import { randomUUID } from 'node:crypto';
import { type AnyCall, allCalls, type Role, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { retryWhileBusy } from '../../../tools/proofs/test/expect-answers.ts';
import { contentsAtRest } from '../../../tools/proofs/test/contents-at-rest.ts';
import { type Contents, contentsOf } from '../../../tools/proofs/test/contents.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import { revealsRecord } from './leak-check.ts';
import {
  type PreparedRequest,
  FILTERS,
  filtersOf,
  idsInBody,
  kindOf,
  namesRecord,
  parametersOf,
  requestsTo,
} from './contract-requests.ts';

const routed = allCalls.filter((call) => call.http !== null);
/** Every client that has a secret URL may read it, from any organization. */
const closed = routed.filter((call) => call.roles !== 'anyone');

let fixture: Fixture;
let our: OneOfEach;
let before: Contents;

beforeAll(async () => {
  fixture = await startFixture();
  our = await oneOfEach(fixture);
  before = await contentsAtRest(fixture, () => contentsOf(fixture, fixture.org));
});
afterAll(() => fixture?.stop());

/** Codes that a stranger with the id of our student gets about themselves: they have no hours and teach no student. */
const OF_THEMSELVES: Readonly<Record<string, string>> = {
  'clazz.hour.transfer': 'insufficient_hours',
  'clazz.hour.account': 'forbidden',
  'clazz.hour.list_entries': 'forbidden',
};

/** The result of a call of a stranger, when it differs from the result without our records. */
const leak = async (api: Api, call: AnyCall, request: PreparedRequest): Promise<string[]> => {
  const outcome = await retryWhileBusy(() => api.outcome(call, request));
  const said = outcome.code === 'done' ? outcome.body : outcome.problem;
  if (revealsRecord(our, fixture.org, said)) return [`${call.id} gives away ${JSON.stringify(said)}`];
  if (outcome.code === 'not_found') return [];
  if (!namesRecord(call) && ['done', OF_THEMSELVES[call.id]].includes(outcome.code)) return [];
  return [`${call.id} ${JSON.stringify(request)}: ${outcome.code} ${JSON.stringify(said)}`];
};

describe('The records of each kind', () => {
  it('fill all tables, so that every table has a row to see or change', () => {
    const machinery = /^stats\.(log_entry|log_org|idempotency_key)$|\.dead_letter$|^clazz\.audit_(anchor|former)$/;
    const empty = Object.entries(before).filter(([name, rows]) => rows.length === 0 && !machinery.test(name));
    expect(empty.map(([name]) => name)).toEqual([]);
  });

  it('are named by every path parameter and every filter', () => {
    const missing = routed.flatMap((call) =>
      [
        ...parametersOf(call).filter((name) => kindOf(call, name) === undefined),
        ...filtersOf(call).filter((name) => FILTERS[name] === undefined),
      ].map((name) => `${call.id}: which record is {${name}}? Make one in one-of-each.ts and name it in requests.ts`),
    );
    expect(missing).toEqual([]);
  });

  it('are named by every id in a body', () => {
    const missing = routed.flatMap((call) =>
      idsInBody(call).flatMap((name) => {
        const named = requestsTo(call, our, true).some(({ body }) => Object.keys(body ?? {}).includes(name));
        return named ? [] : [`${call.id}: which record is ${name}? Name it in requests.ts`];
      }),
    );
    // Valid only together with a range.
    expect(missing).toEqual([expect.stringMatching(/^clazz\.leave\.request: which record is clazz_id/)]);
  });

  it('are named in requests with all other required input', () => {
    const wrong = routed.flatMap((call) =>
      requestsTo(call, our, true).flatMap(({ path, query, body }) =>
        [call.path.safeParse(path), call.query.safeParse(query), call.body.safeParse(body)].flatMap(({ error }) =>
          error === undefined ? [] : [`${call.id}: what would a stranger send? ${error.message}`],
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

const ALL = 'a caller with all roles';
const strangersAreKeptOut = (): void => {
  it.each([ALL, ...ROLES])(
    'every route answers %s as if our records did not exist, and does not change them',
    async (who) => {
      const roles: readonly Role[] = ROLES.filter((role) => who === ALL || role === who);
      // The same id as our student: an id of a person has no meaning across organizations.
      const api = fixture.as({ role: roles, org: randomUUID(), sub: our.student });
      const allowed = closed.filter((call) => roles.some((role) => call.roles.includes(role)));
      const tried = await Promise.all(
        allowed.flatMap((call) => requestsTo(call, our, who === ALL).map((request) => leak(api, call, request))),
      );
      expect(tried.flat()).toEqual([]);
      expect(await contentsOf(fixture, fixture.org)).toEqual(before);
    },
  );
};

describe('For another organization', () => {
  strangersAreKeptOut();
});

/** Tenancy is enforced twice: the conditions of each statement must suffice without the row-level policies. */
describe('For another organization, without row-level security', () => {
  const policies = async (to: 'disable' | 'enable'): Promise<void> => {
    const tables = await fixture.sql<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relforcerowsecurity`,
    );
    expect(tables.length).toBeGreaterThan(50);
    await fixture.sql(tables.map(({ name }) => `alter table ${name} ${to} row level security;`).join('\n'));
  };
  beforeAll(() => policies('disable'));
  afterAll(() => policies('enable'));
  strangersAreKeptOut();
});

/** Answers without ids: they are compared with those of an organization without records. */
const SUMS = [
  'clazz.calendar.get_state',
  'course.daka.streak',
  'clazz.audit.verify',
  'clazz.audit.head',
  'clazz.leave.quote',
  'clazz.policy.get',
  'clazz.substitution.options',
  'stats.org_overview.get',
];

/**
 * The same requests by the owners of the records: proof that the requests of the strangers name existing records. For
 * writes: `matrix.int.test.ts`.
 */
describe('For its own organization', () => {
  const boss = (sub = 'supervisor-1') => fixture.as({ role: [...ROLES], sub });
  const isRead = (call: AnyCall): boolean => call.http?.method === 'GET';

  it('every read shows a record of ours', async () => {
    const stranger = fixture.as({ role: [...ROLES], org: randomUUID(), sub: our.student });
    const isShown = async (call: AnyCall, request: PreparedRequest, api: Api): Promise<boolean> => {
      const [ours, theirs] = [await api.outcome(call, request), await stranger.outcome(call, request)];
      if (ours.code !== 'done') return false;
      return SUMS.includes(call.id)
        ? JSON.stringify(ours) !== JSON.stringify(theirs)
        : revealsRecord(our, fixture.org, ours.body);
    };
    const blind: string[] = [];
    for (const call of routed.filter(isRead)) {
      const requests = requestsTo(call, our, true);
      const shown = [boss(), boss(our.student)].flatMap((api) => requests.map((one) => isShown(call, one, api)));
      if (!(await Promise.all(shown)).includes(true)) blind.push(call.id);
    }
    expect(blind).toEqual([]);
  });
});

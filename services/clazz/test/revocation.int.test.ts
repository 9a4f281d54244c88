import { createPrivateKey, randomUUID } from 'node:crypto';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import {
  accessCalls,
  auditCalls,
  calendarCalls,
  memberCalls,
  REVOKED_PAGE_SIZE,
  type RevocationOffset,
  type Role,
} from '@teaching/contracts';
import { createCallerSigner, decodeReply, encodeFrame, newId } from '@teaching/kit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DAY_MS } from '../../../libs/kit/src/base/time.ts';
import { clazzWith } from '../../../tools/proofs/test/clazz.ts';
import { codesOf } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { createSweepRunner } from '../../../tools/proofs/test/run-sweeps.ts';
import { removeOldSignOuts } from '../src/directory/revoke-tokens.ts';

/** A time before all tokens of the tests were issued, so that a sign-out refuses none of them. */
const NOON = '2020-05-05T12:00:00.000Z';
const clock = clockAt(NOON);
let fixture: Fixture;
let gateway: NatsConnection;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: clock.now });
  const { gateway: pass } = inject('stack').secrets.nats;
  const user = 'gateway';
  gateway = await connect({ servers: fixture.nats.url, user, pass, inboxPrefix: `_INBOX_${user}.clazz` });
});
afterAll(async () => {
  await gateway?.close();
  await fixture?.stop();
});
beforeEach(async () => {
  clock.reset();
  await fixture.sql('delete from clazz.shut_out');
});

const { supervisor, teacher } = peopleOf(() => fixture);
const { listRevokedPeople } = accessCalls;

/** One page of the revocation list, as a gateway requests it. */
const readPage = async (
  after: RevocationOffset | null = null,
  beyond: { org_id: string; user_id: string } | null = null,
) => {
  const head = { request_id: newId(), deadline: Date.now() + 5_000 };
  const body = JSON.stringify({ after, beyond });
  const reply = await gateway.request('call.clazz.any.gateway.access.shut_out', encodeFrame(head, body));
  return listRevokedPeople.output.parse(JSON.parse(decodeReply(reply.data).body.toString()));
};
const describePage = async (after: RevocationOffset | null = null): Promise<string[]> =>
  (await readPage(after)).items.map(
    ({ user_id, inactive, signed_out_at }) => `${user_id} ${inactive ? 'inactive' : (signed_out_at ?? 'free')}`,
  );

const putMember = async (user_id: string): Promise<string> => {
  const members = [{ user_id, role: 'STUDENT', display_name: user_id } as const];
  await supervisor().ok(memberCalls.putMembers, { body: { members } });
  return user_id;
};
const deactivate = (user_id: string) =>
  supervisor().ok(memberCalls.deactivateMember, { path: { user_id }, body: { reason: 'left' } });
const signOut = (user_id: string, reason?: string) =>
  supervisor().ok(memberCalls.signOutMember, {
    path: { user_id },
    ...(reason === undefined ? {} : { body: { reason } }),
  });
/** The beginning of a statement that inserts rows of revoked people. */
const INSERT = `insert into clazz.shut_out (org_id, user_id, inactive, changed_at)`;
/** Runs more transactions than the next page reads again in any case. */
const passTransactions = () =>
  fixture.sql(`do $$ begin for i in 1..1200 loop perform pg_current_xact_id(); commit; end loop; end $$`);

describe('a revoked person', () => {
  it('is listed from deactivation to reactivation', async () => {
    const { place: offset } = await readPage();
    await deactivate(await putMember('lea'));
    expect([await describePage(), await describePage(offset)]).toEqual([['lea inactive'], ['lea inactive']]);
    await deactivate('lea');
    await passTransactions();
    const laterOffset = (await readPage()).place;
    await supervisor().ok(memberCalls.activateMember, { path: { user_id: 'lea' } });
    expect([await describePage(), await describePage(laterOffset)]).toEqual([[], ['lea free']]);
  });

  it('stays listed after erasure or deletion, until the directory has the person again', async () => {
    await deactivate(await putMember('gil'));
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'gil' }, body: { reason: 'asked for' } });
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'gil' }, body: { reason: 'again' } });
    expect(await describePage()).toEqual(['gil inactive']);
    await putMember('gil');
    expect(await describePage()).toEqual([]);
    await deactivate('gil');
    await supervisor().ok(memberCalls.deleteMember, { path: { user_id: 'gil' } });
    expect(await describePage()).toEqual(['gil inactive']);
  });

  it('cannot be the supervisor who requests the deactivation', async () => {
    await putMember('supervisor-1');
    const self = { path: { user_id: 'supervisor-1' }, body: { reason: 'x' } };
    expect((await supervisor().refused(memberCalls.deactivateMember, self)).code).toBe('forbidden');
  });

  it('is added by the migration if the person was inactive before it', async () => {
    const { place: offset } = await readPage();
    await deactivate(await putMember('old'));
    await fixture.sql('drop table clazz.shut_out');
    await fixture.sql("delete from clazz.schema_migration where name = '123_shut_out'");
    await fixture.startService('clazz');
    expect(await describePage(offset)).toContain('old inactive');
  });
});

describe('a sign-out', () => {
  it('is recorded in the audit log each time, and also works for a person outside the directory', async () => {
    await putMember('sue');
    expect(await signOut('sue', 'lost her phone')).toEqual({
      user_id: 'sue',
      display_name: 'sue',
      signed_out_at: NOON,
    });
    expect(await signOut('unlisted')).toMatchObject({ display_name: null, signed_out_at: NOON });
    expect(await describePage()).toEqual([`sue ${NOON}`, `unlisted ${NOON}`]);
    clock.advance(60_000);
    const later = clock.now().toISOString();
    expect((await signOut('sue')).signed_out_at).toBe(later);
    const entries = async () =>
      (await supervisor().ok(auditCalls.listAuditEntries, { query: { entity: 'member', entity_id: 'sue' } })).items
        .filter(({ changes }) => 'signed_out_at' in changes)
        .map(({ actor_id, action, reason, changes }) => ({ actor_id, action, reason, changes }));
    const by = { actor_id: 'supervisor-1', action: 'update' };
    await expect.poll(entries, POLL_OPTIONS).toEqual([
      { ...by, reason: null, changes: { signed_out_at: { before: NOON, after: later } } },
      { ...by, reason: 'lost her phone', changes: { signed_out_at: { before: null, after: NOON } } },
    ]);
  });

  it('is replayed by its Idempotency-Key, and is allowed only to supervisors for their own organization', async () => {
    const once = { 'idempotency-key': randomUUID() };
    const send = () => supervisor().post('/ws/member/rob/sign-out', undefined, once);
    const first = await send();
    clock.advance(5_000);
    expect((await send()).body).toEqual(first.body);
    expect(await describePage()).toEqual([`rob ${NOON}`]);
    expect((await teacher().post('/ws/member/rob/sign-out')).status).toBe(403);
    const theirs = randomUUID();
    await fixture.as({ role: 'SUPERVISOR', org: theirs }).ok(memberCalls.signOutMember, { path: { user_id: 'rob' } });
    const rows = (await readPage()).items.map(({ org_id, user_id }) => `${org_id} ${user_id}`);
    expect(rows).toEqual([`${fixture.org} rob`, `${theirs} rob`].toSorted());
  });

  it('in parallel with others and a deactivation keeps the latest time and the deactivation', async () => {
    await putMember('pam');
    const at = Array.from({ length: 6 }, (_one, n) => n);
    const answers = await Promise.all([
      ...at.map(() => supervisor().post('/ws/member/pam/sign-out')),
      supervisor().post('/ws/member/pam/deactivate', { reason: 'x' }),
    ]);
    expect(new Set(codesOf(answers))).toEqual(new Set(['200']));
    await clock.later(-60_000, () => signOut('pam'));
    expect((await readPage()).items).toMatchObject([{ user_id: 'pam', inactive: true, signed_out_at: NOON }]);
  });

  it('is removed when no token can be that old, and its row a day later', async () => {
    const sweeps = createSweepRunner(fixture, 'clazz', clock.now);
    const sweep = () => sweeps.run(removeOldSignOuts);
    await signOut('ben');
    await deactivate(await putMember('ina'));
    await signOut('ina');
    clock.advance(90 * DAY_MS);
    expect([await sweep(), await describePage()]).toEqual([0, [`ben ${NOON}`, 'ina inactive']]);
    clock.advance(DAY_MS + 1);
    await passTransactions();
    const { place: offset } = await readPage();
    expect(await sweep()).toBe(2);
    expect([await describePage(), (await describePage(offset)).toSorted()]).toEqual([
      ['ina inactive'],
      ['ben free', 'ina inactive'],
    ]);
    clock.advance(DAY_MS);
    expect(await sweep()).toBe(0);
    clock.advance(1);
    expect(await sweep()).toBe(1);
    expect(await fixture.sql('select user_id, signed_out_at from clazz.shut_out')).toEqual([
      { user_id: 'ina', signed_out_at: null },
    ]);
    await sweeps.end();
  });
});

describe('the revocation list for gateways', () => {
  it('contains a row of a long transaction, also if later rows were read before its commit', async () => {
    const slow = new pg.Client({ connectionString: fixture.adminUrl });
    await slow.connect();
    try {
      let { place: offset } = await readPage();
      await slow.query('begin');
      await slow.query(`${INSERT} values ($1, 'slow', true, now())`, [fixture.org]);
      for (const quick of ['one', 'two', 'three']) {
        await signOut(quick);
        await passTransactions();
        const page = await readPage(offset);
        expect(page.whole).toBe(false);
        expect(page.items.map(({ user_id }) => user_id)).toContain(quick);
        expect(page.items.map(({ user_id }) => user_id)).not.toContain('slow');
        ({ place: offset } = page);
      }
      await slow.query('commit');
      expect(await describePage(offset)).toContain('slow inactive');
      // Transactions of other databases of the server also hold the offset back.
      const remainingRows = async (): Promise<string[]> => {
        await passTransactions();
        ({ place: offset } = await readPage(offset));
        return describePage(offset);
      };
      await expect.poll(remainingRows).toEqual([]);
    } finally {
      await slow.end();
    }
  });

  it('is paged without missing or repeating a person', async () => {
    const { place: offset } = await readPage();
    const count = 2 * REVOKED_PAGE_SIZE + 1;
    await fixture.sql(
      `${INSERT} select gen_random_uuid(), 'p' || n, true, now() from generate_series(1, ${count}) as n`,
    );
    for (const after of [null, offset]) {
      const found: string[] = [];
      let page = await readPage(after);
      found.push(...page.items.map(({ user_id }) => user_id));
      while (page.more) {
        page = await readPage(after, page.items.at(-1));
        found.push(...page.items.map(({ user_id }) => user_id));
      }
      expect([found.length, new Set(found).size]).toEqual([count, count]);
    }
  });

  it('is sent completely after the database was replaced or restored', async () => {
    await deactivate(await putMember('eve'));
    const { place: offset } = await readPage();
    const isComplete = async () => (await readPage(offset)).whole;
    expect(await isComplete()).toBe(false);
    // A restored content: the table is filled again, while the transaction numbers continue.
    await fixture.sql(
      'begin; create temp table kept on commit drop as select * from clazz.shut_out; truncate clazz.shut_out; insert into clazz.shut_out select * from kept; commit',
    );
    expect([await isComplete(), await describePage(offset)]).toEqual([true, ['eve inactive']]);
    const { place: laterOffset } = await readPage();
    // A new epoch means that the log found a restored database.
    await fixture.sql("update clazz.log_head set epoch = epoch + 1 where log = 'audit'");
    expect((await readPage(laterOffset)).whole).toBe(true);
    await fixture.sql("update clazz.log_head set epoch = epoch - 1 where log = 'audit'");
  });

  it('does not repeat rows that another server wrote', async () => {
    await deactivate(await putMember('far'));
    await fixture.sql("update clazz.shut_out set changed = '900000000000'");
    const { place: offset } = await readPage();
    expect([await describePage(), await describePage(offset)]).toEqual([['far inactive'], []]);
  });
});

describe('the address of a calendar feed', () => {
  const feedOf = async (sub: string): Promise<() => Promise<number>> => {
    const { url } = await fixture.as({ role: 'STUDENT', sub }).ok(calendarCalls.createCalendarFeed);
    return async () => (await fixture.raw().get(`/${url}`)).status;
  };

  it('answers 404 while its person is inactive', async () => {
    const feed = await feedOf(await putMember('fay'));
    expect(await feed()).toBe(200);
    await deactivate('fay');
    expect(await feed()).toBe(404);
    await supervisor().ok(memberCalls.activateMember, { path: { user_id: 'fay' } });
    expect(await feed()).toBe(200);
  });

  it('ends with a sign-out, also if it was created while old tokens may still have been accepted', async () => {
    const [feed, other] = [await feedOf('zoe'), await feedOf('not-zoe')];
    clock.advance(1);
    await signOut('zoe');
    expect([await feed(), await other()]).toEqual([404, 200]);
    clock.advance(10_000);
    const early = await feedOf('zoe');
    expect(await early()).toBe(404);
    clock.advance(1);
    const late = await feedOf('zoe');
    expect([await late(), await early()]).toEqual([200, 404]);
  });
});

/** The relations of people, as a gateway requests them: of a list, or of one by a call of their own. */
const readRelations = async (caller: { user_id: string; roles: Role[] }, people?: (typeof caller)[]) => {
  const key = Buffer.from(inject('stack').secrets.caller.seal, 'base64url');
  const sign = createCallerSigner(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  const org_id = fixture.org;
  const signed = sign({ org_id, ...caller, exp: Math.floor(Date.now() / 1_000) + 60 });
  const head = { caller: signed, request_id: newId(), deadline: Date.now() + 5_000 };
  const frame = encodeFrame(head, JSON.stringify({ people }));
  const reply = await gateway.request('call.clazz.any.gateway.access.audience', frame);
  return accessCalls.audience.output.parse(JSON.parse(decodeReply(reply.data).body.toString()));
};

it('the relations of several people are those of each of them, in their order', async () => {
  const members = [
    { user_id: 'mia', role: 'GUARDIAN' as const, display_name: 'Mia' },
    { user_id: 'kid', role: 'STUDENT' as const, display_name: 'Kid' },
  ];
  await supervisor().ok(memberCalls.putMembers, { body: { members } });
  const guardians = [{ user_id: 'mia', money: true }];
  await supervisor().ok(memberCalls.putGuardians, { path: { user_id: 'kid' }, body: { guardians } });
  const own = await clazzWith(supervisor(), ['kid', 'pal'], { lead_teacher_id: 'tom' });
  await clazzWith(supervisor(), ['zac'], { lead_teacher_id: 'tim' });
  const people: { user_id: string; roles: Role[] }[] = [
    { user_id: 'tom', roles: ['TEACHER'] },
    { user_id: 'nil', roles: ['STUDENT'] },
    { user_id: 'mia', roles: ['GUARDIAN', 'TEACHER'] },
    { user_id: 'kid', roles: ['STUDENT'] },
    // The roles of the token count.
    { user_id: 'mia', roles: ['STUDENT'] },
  ];
  const together = await readRelations({ user_id: 'zoe', roles: ['STUDENT'] }, people);
  const alone = [];
  for (const person of people) alone.push(await readRelations(person));
  expect(together.people).toEqual(alone);
  expect(alone.map(({ students, ...more }) => ({ ...more, students: students.toSorted() }))).toEqual([
    { children: [], clazz_ids: [], students: ['kid', 'pal'] },
    { children: [], clazz_ids: [], students: [] },
    { children: ['kid'], clazz_ids: [own], students: [] },
    { children: [], clazz_ids: [own], students: [] },
    { children: [], clazz_ids: [], students: [] },
  ]);
});

import { randomUUID } from 'node:crypto';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import {
  accessCalls,
  auditCalls,
  calendarCalls,
  memberCalls,
  SHUT_OUT_PAGE,
  type ShutOutPlace,
} from '@teaching/contracts';
import { decodeReply, encodeFrame, newId } from '@teaching/kit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DAY_MS } from '../../../libs/kit/src/base/time.ts';
import { codesOf } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { createSweepRunner } from '../../../tools/proofs/test/run-sweeps.ts';
import { removeOldSignOuts } from '../src/directory/revoke-tokens.ts';

/** Before all tokens, so that a sign-out refuses none. */
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
const { listShutOut } = accessCalls;

/** What a gateway hears: one page. */
const heard = async (after: ShutOutPlace | null = null, beyond: { org_id: string; user_id: string } | null = null) => {
  const head = { request_id: newId(), deadline: Date.now() + 5_000 };
  const body = JSON.stringify({ after, beyond });
  const reply = await gateway.request('call.clazz.any.gateway.access.shut_out', encodeFrame(head, body));
  return listShutOut.output.parse(JSON.parse(decodeReply(reply.data).body.toString()));
};
const saying = async (after: ShutOutPlace | null = null): Promise<string[]> =>
  (await heard(after)).items.map(
    ({ user_id, inactive, signed_out_at }) => `${user_id} ${inactive ? 'inactive' : (signed_out_at ?? 'free')}`,
  );

const member = async (user_id: string): Promise<string> => {
  const members = [{ user_id, role: 'STUDENT', display_name: user_id } as const];
  await supervisor().ok(memberCalls.putMembers, { body: { members } });
  return user_id;
};
const leave = (user_id: string) =>
  supervisor().ok(memberCalls.deactivateMember, { path: { user_id }, body: { reason: 'left' } });
const signOut = (user_id: string, reason?: string) =>
  supervisor().ok(memberCalls.signOutMember, {
    path: { user_id },
    ...(reason === undefined ? {} : { body: { reason } }),
  });
/** What a row of somebody shut out is made of, for those who arrange many, or hold one back. */
const INSERT = `insert into clazz.shut_out (org_id, user_id, inactive, changed_at)`;
/** More transactions come and go than are read again in any case. */
const passTransactions = () =>
  fixture.sql(`do $$ begin for i in 1..1200 loop perform pg_current_xact_id(); commit; end loop; end $$`);

describe('who must not enter', () => {
  it('is who was set inactive, until they are set active again', async () => {
    const { place } = await heard();
    await leave(await member('lea'));
    expect([await saying(), await saying(place)]).toEqual([['lea inactive'], ['lea inactive']]);
    await leave('lea');
    await passTransactions();
    const then = (await heard()).place;
    await supervisor().ok(memberCalls.activateMember, { path: { user_id: 'lea' } });
    expect([await saying(), await saying(then)]).toEqual([[], ['lea free']]);
  });

  it('stays who was forgotten by the directory after that, and until it knows them anew', async () => {
    await leave(await member('gil'));
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'gil' }, body: { reason: 'asked for' } });
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'gil' }, body: { reason: 'again' } });
    expect(await saying()).toEqual(['gil inactive']);
    await member('gil');
    expect(await saying()).toEqual([]);
    await leave('gil');
    await supervisor().ok(memberCalls.deleteMember, { path: { user_id: 'gil' } });
    expect(await saying()).toEqual(['gil inactive']);
  });

  it('is not who sets them inactive', async () => {
    await member('supervisor-1');
    const self = { path: { user_id: 'supervisor-1' }, body: { reason: 'x' } };
    expect((await supervisor().refused(memberCalls.deactivateMember, self)).code).toBe('forbidden');
  });

  it('was inactive before this was kept', async () => {
    const { place } = await heard();
    await leave(await member('old'));
    await fixture.sql('drop table clazz.shut_out');
    await fixture.sql("delete from clazz.schema_migration where name = '123_shut_out'");
    await fixture.startService('clazz');
    expect(await saying(place)).toContain('old inactive');
  });
});

describe('a sign-out', () => {
  it('stands on the trail, whether the directory has the person or not, and again at a later moment', async () => {
    await member('sue');
    expect(await signOut('sue', 'lost her phone')).toEqual({
      user_id: 'sue',
      display_name: 'sue',
      signed_out_at: NOON,
    });
    expect(await signOut('unlisted')).toMatchObject({ display_name: null, signed_out_at: NOON });
    expect(await saying()).toEqual([`sue ${NOON}`, `unlisted ${NOON}`]);
    clock.pass(60_000);
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

  it('is repeatable, for supervisors, and about their own organization', async () => {
    const once = { 'idempotency-key': randomUUID() };
    const send = () => supervisor().post('/ws/member/rob/sign-out', undefined, once);
    const first = await send();
    clock.pass(5_000);
    expect((await send()).body).toEqual(first.body);
    expect(await saying()).toEqual([`rob ${NOON}`]);
    expect((await teacher().post('/ws/member/rob/sign-out')).status).toBe(403);
    const theirs = randomUUID();
    await fixture.as({ role: 'SUPERVISOR', org: theirs }).ok(memberCalls.signOutMember, { path: { user_id: 'rob' } });
    const rows = (await heard()).items.map(({ org_id, user_id }) => `${org_id} ${user_id}`);
    expect(rows).toEqual([`${fixture.org} rob`, `${theirs} rob`].toSorted());
  });

  it('of several at once, and beside leaving, keeps the latest moment and what else holds', async () => {
    await member('pam');
    const at = Array.from({ length: 6 }, (_one, n) => n);
    const answers = await Promise.all([
      ...at.map(() => supervisor().post('/ws/member/pam/sign-out')),
      supervisor().post('/ws/member/pam/deactivate', { reason: 'x' }),
    ]);
    expect(new Set(codesOf(answers))).toEqual(new Set(['200']));
    await clock.later(-60_000, () => signOut('pam'));
    expect((await heard()).items).toMatchObject([{ user_id: 'pam', inactive: true, signed_out_at: NOON }]);
  });

  it('is forgotten when no token can be that old, and who may enter again once everybody heard it', async () => {
    const sweeps = createSweepRunner(fixture, 'clazz', clock.now);
    const sweep = () => sweeps.run(removeOldSignOuts);
    await signOut('ben');
    await leave(await member('ina'));
    await signOut('ina');
    clock.pass(90 * DAY_MS);
    expect([await sweep(), await saying()]).toEqual([0, [`ben ${NOON}`, 'ina inactive']]);
    clock.pass(DAY_MS + 1);
    await passTransactions();
    const { place } = await heard();
    expect(await sweep()).toBe(2);
    expect([await saying(), (await saying(place)).toSorted()]).toEqual([
      ['ina inactive'],
      ['ben free', 'ina inactive'],
    ]);
    clock.pass(DAY_MS);
    expect(await sweep()).toBe(0);
    clock.pass(1);
    expect(await sweep()).toBe(1);
    expect(await fixture.sql('select user_id, signed_out_at from clazz.shut_out')).toEqual([
      { user_id: 'ina', signed_out_at: null },
    ]);
    await sweeps.end();
  });
});

describe('what gateways hear', () => {
  it('has what a transaction wrote that was open for long, whatever came and was heard meanwhile', async () => {
    const slow = new pg.Client({ connectionString: fixture.adminUrl });
    await slow.connect();
    try {
      let { place } = await heard();
      await slow.query('begin');
      await slow.query(`${INSERT} values ($1, 'slow', true, now())`, [fixture.org]);
      for (const quick of ['one', 'two', 'three']) {
        await signOut(quick);
        await passTransactions();
        const page = await heard(place);
        expect(page.whole).toBe(false);
        expect(page.items.map(({ user_id }) => user_id)).toContain(quick);
        expect(page.items.map(({ user_id }) => user_id)).not.toContain('slow');
        ({ place } = page);
      }
      await slow.query('commit');
      expect(await saying(place)).toContain('slow inactive');
      // Transactions of other databases of the server hold the place back, too.
      const isOver = async (): Promise<string[]> => {
        await passTransactions();
        ({ place } = await heard(place));
        return saying(place);
      };
      await expect.poll(isOver).toEqual([]);
    } finally {
      await slow.end();
    }
  });

  it('comes in pages, in which nobody is missing and nobody twice', async () => {
    const { place } = await heard();
    const count = 2 * SHUT_OUT_PAGE + 1;
    await fixture.sql(
      `${INSERT} select gen_random_uuid(), 'p' || n, true, now() from generate_series(1, ${count}) as n`,
    );
    for (const after of [null, place]) {
      const found: string[] = [];
      let page = await heard(after);
      found.push(...page.items.map(({ user_id }) => user_id));
      while (page.more) {
        page = await heard(after, page.items.at(-1));
        found.push(...page.items.map(({ user_id }) => user_id));
      }
      expect([found.length, new Set(found).size]).toEqual([count, count]);
    }
  });

  it('is all of it where the database is another one than before', async () => {
    await leave(await member('eve'));
    const { place } = await heard();
    const wholes = async () => (await heard(place)).whole;
    expect(await wholes()).toBe(false);
    // Its content was put back: the table is filled anew, though numbers of transactions went on.
    await fixture.sql(
      'begin; create temp table kept on commit drop as select * from clazz.shut_out; truncate clazz.shut_out; insert into clazz.shut_out select * from kept; commit',
    );
    expect([await wholes(), await saying(place)]).toEqual([true, ['eve inactive']]);
    const { place: then } = await heard();
    // The log found that it went back.
    await fixture.sql("update clazz.log_head set epoch = epoch + 1 where log = 'audit'");
    expect((await heard(then)).whole).toBe(true);
    await fixture.sql("update clazz.log_head set epoch = epoch - 1 where log = 'audit'");
  });

  it('does not come again and again for rows that another server wrote', async () => {
    await leave(await member('far'));
    await fixture.sql("update clazz.shut_out set changed = '900000000000'");
    const { place } = await heard();
    expect([await saying(), await saying(place)]).toEqual([['far inactive'], []]);
  });
});

describe('an address of a calendar', () => {
  const feedOf = async (sub: string): Promise<() => Promise<number>> => {
    const { url } = await fixture.as({ role: 'STUDENT', sub }).ok(calendarCalls.createCalendarFeed);
    return async () => (await fixture.raw().get(`/${url}`)).status;
  };

  it('is unknown while its person is inactive', async () => {
    const feed = await feedOf(await member('fay'));
    expect(await feed()).toBe(200);
    await leave('fay');
    expect(await feed()).toBe(404);
    await supervisor().ok(memberCalls.activateMember, { path: { user_id: 'fay' } });
    expect(await feed()).toBe(200);
  });

  it('ends with a sign-out, and so does one that was made while old tokens may still have been good', async () => {
    const [feed, other] = [await feedOf('zoe'), await feedOf('not-zoe')];
    clock.pass(1);
    await signOut('zoe');
    expect([await feed(), await other()]).toEqual([404, 200]);
    clock.pass(10_000);
    const early = await feedOf('zoe');
    expect(await early()).toBe(404);
    clock.pass(1);
    const late = await feedOf('zoe');
    expect([await late(), await early()]).toEqual([200, 404]);
  });
});

import { memberCalls, policyCalls, Zone } from '@teaching/contracts';
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'], clock: clockAt('2033-01-01T00:00:00Z').now });
});
afterAll(() => fixture?.stop());
const { supervisor, student } = peopleOf(() => fixture);

const START = '2033-02-01T10:00:00.000Z';
const pathsOf = (refusal: { errors: readonly { path: string }[] }): string[] => refusal.errors.map(({ path }) => path);
const putMember = (user_id: string, fields: object) =>
  supervisor().put('/ws/member/bulk', { members: [{ user_id, role: 'STUDENT', display_name: 'Ann', ...fields }] });

describe('A text of a request', () => {
  it('is refused with a control character, in bodies and queries, and is stored in NFC', async () => {
    const { id } = await newClazz(supervisor());
    const texts = { topic: 'a\u0007b', homework: 'a\u0085b', room: 'a\rb' };
    const refused = expectRefusal(await postLesson(supervisor(), id, START, texts), 400, 'invalid_request');
    expect(pathsOf(refused).toSorted()).toEqual(['/body/homework', '/body/room', '/body/topic']);
    const search = await supervisor().get('/ws/member?keyword=a%07');
    expect(pathsOf(expectRefusal(search, 400, 'invalid_request'))).toEqual(['/query/keyword']);
    const named = await supervisor().post('/clazz', { name: ' \u200b\u3000', lead_teacher_id: 't' });
    expect(pathsOf(expectRefusal(named, 400, 'invalid_request'))).toEqual(['/body/name']);
    const topic = 'Cafe\u0301\tund\r\nmehr';
    expect(expectOk(await postLesson(supervisor(), id, START, { topic }), 201)).toMatchObject({
      topic: 'Café\tund\r\nmehr',
    });
    const stored = expectOk(await putMember('e\u0301', { display_name: 'E\u0301', external_id: 'e\u0301' }));
    expect(stored.items).toMatchObject([{ user_id: 'e\u0301', display_name: 'É', external_id: 'e\u0301' }]);
  });

  it('is no e-mail address, nor an id that is a segment of a path', async () => {
    const refused = expectRefusal(await putMember('..', { email: 'a@b..c' }), 400, 'invalid_request');
    expect(pathsOf(refused)).toEqual(['/body/members/0/user_id', '/body/members/0/email']);
    const { items } = expectOk(await putMember('yong-hu', { email: '用户@例子.公司' }));
    expect(items).toMatchObject([{ email: '用户@例子.公司' }]);
  });
});

describe('Texts and zones that were stored before these rules', () => {
  it('are answered, and leave the feed readable', async () => {
    const { id } = await newClazz(supervisor());
    await enrolNow(supervisor(), id, 's-1');
    expectOk(await postLesson(supervisor(), id, '2033-03-01T10:00:00.000Z', { topic: 'Circles' }), 201);
    expectOk(await putMember('s-1', { email: 'ann@example.org' }));
    await supervisor().ok(policyCalls.putPolicy, { body: { zone: 'Europe/Berlin', org_name: 'School' } });
    const old = 'a\u0007b\rc\u0085';
    await fixture.sql('update clazz.clazz set name = $1 where id = $2', [old, id]);
    await fixture.sql('update clazz.lesson set topic = $1 where clazz_id = $2', [old, id]);
    await fixture.sql("update clazz.member set email = 'ask the mother' where user_id = 's-1'");
    await fixture.sql(
      `insert into clazz.policy select org_id, version + 1, settings || $1, created_at, created_by from clazz.policy`,
      [{ zone: 'eUROPE/bERLIN', org_name: old }],
    );

    const member = await supervisor().ok(memberCalls.getMember, { path: { user_id: 's-1' } });
    expect(member.email).toBe('ask the mother');
    const policy = await supervisor().ok(policyCalls.getPolicy, {});
    expect(policy).toMatchObject({ zone: 'Europe/Berlin', org_name: old });
    const { url } = expectOk(await student('s-1').post('/clazz/calendar/feed'), 201);
    const feed = String(expectOk(await fixture.raw().get(`/${url}`)));
    expect(feed).not.toMatch(/[^\P{Cc}\r\n]|\r(?!\n)|(?<!\r)\n/u);
    const [event] = new ICAL.Component(ICAL.parse(feed)).getAllSubcomponents('vevent').map((it) => new ICAL.Event(it));
    const entry = Object.values(nodeIcal.sync.parseICS(feed)).find((it) => it?.type === 'VEVENT');
    for (const read of [event, entry]) expect(read).toMatchObject({ summary: 'ab\nc\n', description: 'ab\nc\n' });
  });
});

describe('The zones', () => {
  it('are those of Postgres, in its spelling', async () => {
    const rows = await fixture.sql<{ name: string }>(
      "select name from pg_timezone_names where name !~ '^(posix|right)/|^(Factory|localtime|posixrules)$'",
    );
    const names = rows.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(500);
    expect(names.filter((name) => Zone.safeParse(name.toUpperCase()).data !== name)).toEqual([]);
  });
});

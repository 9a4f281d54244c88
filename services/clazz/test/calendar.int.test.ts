import { createHash } from 'node:crypto';
import { calendarCalls } from '@teaching/contracts';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import type { Answer } from '../../../tools/proofs/test/http.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';
import { matchingStatements } from './count-statements.ts';

/** More than any other test of this file uses. */
const LIMIT = 30;
const FAILURES = 8;
let fixture: Fixture;
beforeAll(async () => {
  const env = { RATE_LIMIT: String(LIMIT), FAILURE_LIMIT: String(FAILURES), RATE_LIMIT_WINDOW_SECONDS: '3600' };
  fixture = await startFixture({ services: ['clazz'], clock: clockAt('2033-01-01T00:00:00Z').now, env });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture);
/** The feed as an independent parser reads it. */
const events = (feed: Answer) =>
  new ICAL.Component(ICAL.parse(calendarCalls.getCalendarFeed.output.parse(expectOk(feed))))
    .getAllSubcomponents('vevent')
    .map((component) => {
      const event = new ICAL.Event(component);
      return {
        uid: event.uid,
        sequence: event.sequence,
        summary: event.summary,
        start: event.startDate.toJSDate().toISOString(),
        status: component.getFirstPropertyValue('status'),
      };
    });

describe('the iCalendar feed', () => {
  it('keeps UIDs across changes, answers 304 when nothing changed, and can be revoked', async () => {
    const { id } = await newClazz(supervisor(), { name: '高等数学 — für Anfänger, Teil 1' });
    await enrolNow(supervisor(), id, 's-1');
    const lesson = expectOk(await postLesson(supervisor(), id, '2033-02-01T10:00:00.000Z'), 201);
    const state = () => student('s-1').ok(calendarCalls.getCalendarFeedState);
    expect(await state()).toEqual({ created_at: null });
    const { url } = expectOk(await student('s-1').post('/clazz/calendar/feed'), 201);
    expect(await state()).toEqual({ created_at: expect.stringMatching(/^2033-01-01T/) });
    const anonymous = fixture.raw();
    const feed = (headers = {}) => anonymous.get(`/${url}`, headers);
    const first = await feed();
    expect(first.headers.get('content-type')).toMatch(/^text\/calendar/);
    const uid = `${lesson.id}@lessons`;
    const start = '2033-02-01T10:00:00.000Z';
    const summary = '高等数学 — für Anfänger, Teil 1';
    expect(events(first)).toEqual([{ uid, sequence: 0, summary, start, status: 'CONFIRMED' }]);
    const etag = first.headers.get('etag') ?? '';
    expect((await feed({ 'if-none-match': etag })).status).toBe(304);
    expectOk(await supervisor().post(`/clazz/lesson/${lesson.id}/cancel`));
    const second = await feed({ 'if-none-match': etag });
    expect(events(second)).toEqual([{ uid, sequence: 1, summary, start, status: 'CANCELLED' }]);
    const { items } = expectOk(await supervisor().get(`/clazz/${id}/audit-log?actor_id=s-1`));
    expect(items.map((row) => row.action)).toEqual(['read', 'read']);
    const { url: next } = expectOk(await student('s-1').post('/clazz/calendar/feed'), 201);
    expectRefusal(await feed(), 404, 'not_found');
    expectOk(await anonymous.get(`/${next}`));
    expect((await student('s-1').delete('/clazz/calendar/feed')).status).toBe(204);
    expect(await state()).toEqual({ created_at: null });
    expectRefusal(await anonymous.get(`/${next}`), 404, 'not_found');
    expectRefusal(await anonymous.get('//api/v1/clazz/calendar/guess.ics'), 404, 'not_found');
  });

  it('answers 304 with one statement when nothing changed, by ETag and by date', async () => {
    const { id } = await newClazz(supervisor(), { name: 'One' });
    await enrolNow(supervisor(), id, 's-2');
    const { id: lesson_id } = expectOk(await postLesson(supervisor(), id, '2033-02-02T10:00:00.000Z'), 201);
    const { url } = expectOk(await student('s-2').post('/clazz/calendar/feed'), 201);
    const feed = (headers = {}) => fixture.raw().get(`/${url}`, headers);
    const first = await feed();
    const etag = first.headers.get('etag') ?? '';
    const date = first.headers.get('last-modified') ?? '';
    for (const headers of [{ 'if-none-match': etag }, { 'if-modified-since': date }]) {
      const statements = await matchingStatements(/calendar_feed|from lesson/, async () => {
        const again = await feed(headers);
        const seen = [again.status, again.headers.get('etag'), again.headers.get('last-modified')];
        expect(seen).toEqual([304, etag, date]);
      });
      expect(statements.length).toBe(1);
    }
    // This change happens in the same second of the services' clock.
    const change = (name: string) => supervisor().patch(`/clazz/${id}`, { name });
    expectOk(await change('Two'));
    const second = await feed({ 'if-modified-since': date });
    expect(second.status).toBe(200);
    expect(Date.parse(second.headers.get('last-modified') ?? '')).toBeGreaterThan(Date.parse(date));
    expectOk(await supervisor().post(`/clazz/lesson/${lesson_id}/cancel`));
    expect((await feed({ 'if-none-match': second.headers.get('etag') ?? '' })).status).toBe(200);
  });

  it('has a rate limit per secret, and is refused beyond it', async () => {
    const feedOf = async (sub: string) => expectOk(await student(sub).post('/clazz/calendar/feed'), 201).url;
    const [greedy, modest] = [await feedOf('s-3'), await feedOf('s-4')];
    const answers = [];
    const reads = LIMIT / calendarCalls.getCalendarFeed.cost;
    for (let n = 0; n <= reads; n += 1) answers.push(await fixture.raw().get(`/${greedy}`));
    const [first] = answers;
    expect(first?.headers.get('ratelimit-policy')).toBe(`"link";q=${LIMIT};w=3600, "org";q=${10 * LIMIT};w=3600`);
    expect(first?.headers.get('ratelimit')).toMatch(new RegExp(`^"link";r=${LIMIT - 5};t=\\d+, "org";r=\\d+;t=\\d+$`));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: reads }, () => 200), 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fixture.raw().get(`/${modest}`)).status).toBe(200);
  });

  it('stores the hash of its secret, not the secret', async () => {
    const { url } = expectOk(await teacher().post('/clazz/calendar/feed'), 201);
    const [row] = await fixture.sql('select secret_hash from clazz.calendar_feed');
    expect(url).not.toContain(row?.['secret_hash']);
  });

  it('is refused without a query if its signature is wrong, and with limited queries if it has none', async () => {
    const feedOf = async (sub: string) => expectOk(await student(sub).post('/clazz/calendar/feed'), 201).url;
    const mine = await feedOf('s-5');
    const secret = mine.replace(/^.*\/|\.ics$/g, '');
    const changed = (at: number): string => {
      const bytes = Buffer.from(secret, 'base64url');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString('base64url');
    };
    const read = async (text: string) => (await fixture.raw().get(`//api/v1/clazz/calendar/${text}.ics`)).status;
    const readGuesses = async () => {
      for (const at of [16, 30, 53]) expect(await read(changed(at))).toBe(404);
    };
    expect(await matchingStatements(/calendar_feed/, readGuesses)).toEqual([]);
    // An address of the old format has no signature. Only a query can tell it from a guess.
    const old = (random: number): string =>
      Buffer.concat([Buffer.from(fixture.org.replaceAll('-', ''), 'hex'), Buffer.alloc(24, random)]).toString(
        'base64url',
      );
    const hash = createHash('sha256').update(old(1)).digest('base64url');
    await fixture.sql("update clazz.calendar_feed set secret_hash = $1 where user_id = 's-4'", [hash]);
    expect([await read(old(1)), await read(old(1))]).toEqual([200, 200]);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push(await read(old(statuses.length + 2)));
    expect(statuses.length).toBeLessThanOrEqual(FAILURES);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    // Known addresses are still answered.
    expect([await read(old(1)), await read(secret)]).toEqual([200, 200]);
  });
});

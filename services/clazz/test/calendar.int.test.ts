import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok, refused } from '../../../tools/test/answers.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { enrolled, lessonAt, newClazz } from './helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'], clock: () => new Date('2033-01-01T00:00:00Z') });
});
afterAll(() => fixture?.stop());

const supervisor = () => fixture.as({ role: 'SUPERVISOR' });
const student = () => fixture.as({ role: 'STUDENT', sub: 's-1' });
/** The feed as an independent parser reads it. */
const events = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((component) => {
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
  it('follows changes under the same UID, answers 304, and is revoked', async () => {
    const { id } = await newClazz(supervisor(), { name: '高等数学 — für Anfänger, Teil 1' });
    await enrolled(supervisor(), id, 's-1');
    const lesson = ok(await lessonAt(supervisor(), id, '2033-02-01T10:00:00.000Z'), 201);
    const { url } = ok(await student().post('/clazz/calendar/feed'), 201);
    const nobody = fixture.raw();
    const feed = (headers = {}) => nobody.get(`/${url}`, headers);
    const first = await feed();
    expect(first.headers.get('content-type')).toMatch(/^text\/calendar/);
    const uid = `${lesson.id}@lessons`;
    const start = '2033-02-01T10:00:00.000Z';
    const summary = '高等数学 — für Anfänger, Teil 1';
    expect(events(ok(first))).toEqual([{ uid, sequence: 0, summary, start, status: 'CONFIRMED' }]);
    const etag = first.headers.get('etag') ?? '';
    expect((await feed({ 'if-none-match': etag })).status).toBe(304);
    ok(await supervisor().post(`/clazz/lesson/${lesson.id}/cancel`));
    const second = await feed({ 'if-none-match': etag });
    expect(events(ok(second))).toEqual([{ uid, sequence: 1, summary, start, status: 'CANCELLED' }]);
    const { items } = ok(await supervisor().get(`/clazz/${id}/audit-log?actor_id=s-1`));
    expect(items.map((row: { action: string }) => row.action)).toEqual(['read', 'read']);
    const { url: next } = ok(await student().post('/clazz/calendar/feed'), 201);
    refused(await feed(), 404, 'not_found');
    ok(await nobody.get(`/${next}`));
    expect((await student().delete('/clazz/calendar/feed')).status).toBe(204);
    refused(await nobody.get(`/${next}`), 404, 'not_found');
    refused(await nobody.get('//api/v1/clazz/calendar/guess.ics'), 404, 'not_found');
  });

  it('keeps no secret, only its hash', async () => {
    const { url } = ok(await fixture.as({ role: 'TEACHER' }).post('/clazz/calendar/feed'), 201);
    const [row] = await fixture.sql('select secret_hash from clazz.calendar_feed');
    expect(url).not.toContain(row?.['secret_hash']);
  });
});

import { randomUUID } from 'node:crypto';
import {
  calendarCalls,
  clazzCalls,
  clazzEvents,
  enrolmentCalls,
  leaveCalls,
  lessonCalls,
  relationCalls,
  seriesCalls,
} from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import { enrol, lessonAt, newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
const { supervisor, student } = peopleOf(() => fixture);

const overview = async () => {
  await waitUntilCaughtUp(fixture);
  return expectOk(await supervisor().get('/clazz/stats/org-overview?from=2098-01-01&to=2098-12-31'));
};
const auditedDeletions = async (id: string) => {
  const { items } = expectOk(await supervisor().get(`/clazz/${id}/audit-log?limit=100&action=delete`));
  return items.map(({ entity, entity_id }) => `${entity} ${entity_id}`).toSorted();
};

describe('deleting a draft class', () => {
  it('publishes and records the end of enrolments, relations, lessons and leave, and corrects statistics', async () => {
    const before = await overview();
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'tom' }, 'draft');
    await enrol(supervisor(), id, ['ann', 'ben']);
    await supervisor().ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id: 'ben' } });
    const lessons = [
      await lessonAt(supervisor(), id, '2098-03-01T10:00:00Z'),
      await lessonAt(supervisor(), id, '2098-03-08T10:00:00Z'),
    ];
    const lesson_id = lessons[0]?.id ?? '';
    const { items: requested } = await student('ann').ok(leaveCalls.requestLeave, {
      body: { lesson_id, reason: 'away' },
    });
    const leave_id = requested[0]?.id ?? '';
    await supervisor().ok(leaveCalls.approveLeave, { path: { id: leave_id } });
    expect(await overview()).not.toEqual(before);
    const { items: enrolments } = await supervisor().ok(enrolmentCalls.listEnrolments, { path: { id } });

    await supervisor().ok(clazzCalls.deleteClazz, { path: { id } });
    expect(await overview()).toEqual(before);
    expect(await auditedDeletions(id)).toEqual(
      [
        `clazz ${id}`,
        ...lessons.map((lesson) => `lesson ${lesson.id}`),
        ...enrolments.map((enrolment) => `enrolment ${enrolment.id}`),
        `leave ${leave_id}`,
        'relation tom/ann',
        'relation tom/ben',
      ].toSorted(),
    );
    const lastEventOf = async (event: (typeof clazzEvents)[keyof typeof clazzEvents]) =>
      (await fixture.events('clazz', event)).at(-1)?.data;
    expect(await lastEventOf(clazzEvents.enrolmentChanged)).toMatchObject({
      clazz_id: id,
      enrolments: [
        { status: 'withdrawn', periods: [] },
        { status: 'withdrawn', periods: [] },
      ],
    });
    expect(await lastEventOf(clazzEvents.lessonDeleted)).toEqual({
      clazz_id: id,
      lesson_ids: lessons.map((it) => it.id),
    });
    expect(await lastEventOf(clazzEvents.leaveChanged)).toMatchObject({
      clazz_id: id,
      leaves: [{ id: leave_id, status: 'cancelled', decided_by: null, make_up_lesson_id: null }],
    });
    const relations = await fixture.events('clazz', clazzEvents.relationChanged);
    expect(relations.at(-1)?.data.relations.map(({ since, until }) => since === until)).toEqual([true, true]);
    const own = await student('ann').ok(relationCalls.listMyTeachers);
    expect(own.items).toEqual([]);
    expect(expectOk(await supervisor().get('/clazz/audit-log/verify'))).toMatchObject({ ok: true });
  });

  it('gives the credit of a guest back', async () => {
    const { id: own } = await newClazz(supervisor(), { lead_teacher_id: 'eve' });
    await enrol(supervisor(), own, ['gus']);
    const missed = await lessonAt(supervisor(), own, '2098-04-01T10:00:00Z');
    const { items } = await student('gus').ok(leaveCalls.requestLeave, {
      body: { lesson_id: missed.id, reason: 'away' },
    });
    const path = { id: items[0]?.id ?? '' };
    await supervisor().ok(leaveCalls.approveLeave, { path });
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'kim' }, 'draft');
    const other = await lessonAt(supervisor(), id, '2098-04-02T10:00:00Z');
    // A draft class accepts no guests. A draft from before that rule may still have one.
    await fixture.sql(`update clazz.make_up_credit set status = 'used', lesson_id = $2 where leave_id = $1`, [
      path.id,
      other.id,
    ]);
    await supervisor().ok(clazzCalls.deleteClazz, { path: { id } });
    const [leave] = (await student('gus').ok(leaveCalls.listLeaves)).items;
    expect(leave?.make_up).toMatchObject({ status: 'available', lesson_id: null });
  });
});

describe('removing a new lesson', () => {
  it('leaves no trace of it but its creation and removal in the audit log, and keeps the rest of its series', async () => {
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'tim' });
    await enrol(supervisor(), id, ['una']);
    const una = student('una');
    const { url } = await una.ok(calendarCalls.createCalendarFeed, {});
    const uids = async () =>
      [
        ...calendarCalls.getCalendarFeed.output
          .parse(expectOk(await fixture.raw().get(`/${url}`)))
          .matchAll(/UID:(.*)@/g),
      ].map(([, uid]) => uid);
    const soon = new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 10);
    const until = new Date(Date.now() + 240 * HOUR_MS).toISOString().slice(0, 10);
    const rule = {
      starts_on: soon,
      start_time: '10:00',
      duration_minutes: 60,
      zone: 'UTC',
      rrule: 'FREQ=DAILY',
      count: 4,
    };
    const { series_id, items } = await supervisor().ok(seriesCalls.createLessonSeries, { path: { id }, body: rule });
    const [first = '', second = '', third = '', fourth = ''] = items.map((it) => it.id);
    await supervisor().ok(lessonCalls.cancelLesson, { path: { lesson_id: third } });
    expect(await uids()).toEqual([first, second, third, fourth]);
    const planned = { path: { lesson_id: second }, query: {} };
    const key = { 'idempotency-key': randomUUID() };
    for (const _time of [1, 2])
      expect((await supervisor().answer(lessonCalls.deleteLesson, planned, key)).status).toBe(204);
    expect((await supervisor().refused(lessonCalls.deleteLesson, planned)).code).toBe('not_found');
    await supervisor().ok(lessonCalls.deleteLesson, { path: { lesson_id: third }, query: {} });

    expect(await uids()).toEqual([first, fourth]);
    const idsOf = (list: { items: { id: string }[] }) => list.items.map((it) => it.id);
    expect(idsOf(await una.ok(lessonCalls.listMyLessons, {}))).toEqual([first, fourth]);
    expect(idsOf(await una.ok(lessonCalls.listLessons, {}))).toEqual([first, fourth]);
    expect((await una.refused(lessonCalls.getLesson, { path: { lesson_id: third } })).code).toBe('not_found');
    await waitUntilCaughtUp(fixture);
    expect(expectOk(await una.get(`/clazz/stats/my-lessons?from=${soon}&to=${until}`)).totals.scheduled).toBe(2);
    const removed = await fixture.events('clazz', clazzEvents.lessonDeleted);
    expect(removed.slice(-2).map(({ data }) => data)).toEqual(
      [second, third].map((lesson) => ({ clazz_id: id, lesson_ids: [lesson] })),
    );
    const { items: trail } = expectOk(await supervisor().get(`/clazz/${id}/audit-log?limit=100&entity=lesson`));
    const actionsOf = (lesson: string) =>
      trail.flatMap((it) => (it.entity_id === lesson ? [it.action] : [])).toReversed();
    expect(actionsOf(second)).toEqual(['create', 'delete']);
    expect(actionsOf(third)).toEqual(['create', 'update', 'delete']);

    // A series has its lessons only: the removed dates do not return when it is moved.
    const moved = { starts_at: `${soon}T11:00:00Z`, ends_at: `${soon}T12:00:00Z` };
    const path = { lesson_id: first };
    const after = await supervisor().ok(seriesCalls.updateLesson, { path, query: { scope: 'all' }, body: moved });
    expect(after.changed_lessons).toBe(2);
    await supervisor().ok(lessonCalls.deleteLesson, { path, query: { scope: 'all' } });
    expect((await supervisor().ok(lessonCalls.listClazzLessons, { path: { id } })).items).toEqual([]);
    expect(await fixture.sql('select id from clazz.series where id = $1', [series_id])).toEqual([]);
  });
});

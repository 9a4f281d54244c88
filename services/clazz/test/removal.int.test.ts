import { clazzCalls, clazzEvents, enrolmentCalls, leaveCalls, relationCalls } from '@teaching/contracts';
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

import {
  auditCalls,
  clazzCalls,
  clazzEvents,
  enrolmentCalls,
  hourCalls,
  leaveCalls,
  lessonCalls,
  memberCalls,
  relationCalls,
  rollCallCalls,
  seriesCalls,
} from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
let id: string;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
  const members = [
    { user_id: 'teacher-1', role: 'TEACHER', display_name: 'Tom' },
    { user_id: 'aide', role: 'TEACHER', display_name: 'Ada' },
    { user_id: 'ann', role: 'STUDENT', display_name: 'Ann' },
  ];
  await school.supervisor.put('/ws/member/bulk', { members });
  id = await school.classOf(['ann', 'unknown'], { name: 'Named' });
});
afterAll(() => fixture?.stop());

const ANN = { student_id: 'ann', student_name: 'Ann' };
const UNKNOWN = { student_id: 'unknown', student_name: null };

describe('answers with names beside ids', () => {
  it('contain the teachers of a class, and events do not', async () => {
    const teacher_ids = ['nobody', 'aide'];
    const names = { lead_teacher_name: 'Tom', assistant_ids: teacher_ids, assistant_names: [null, 'Ada'] };
    expect(
      await school.supervisor.ok(clazzCalls.putClazzAssistants, { path: { id }, body: { teacher_ids } }),
    ).toMatchObject(names);
    expect(await school.supervisor.ok(clazzCalls.getClazz, { path: { id } })).toMatchObject(names);
    const { items } = await school.supervisor.ok(clazzCalls.listClazzes, { query: { keyword: 'named' } });
    expect(items).toMatchObject([names]);
    const [event] = (await fixture.events('clazz', clazzEvents.clazzChanged)).slice(-1);
    expect(event?.data.clazz).not.toHaveProperty('lead_teacher_name');
  });

  it('contain the teacher and the student of a relation', async () => {
    const query = { teacher_id: 'teacher-1' };
    const { items } = await school.supervisor.ok(relationCalls.listMyStudents, { query });
    expect(items.toSorted((a, b) => (a.student_id < b.student_id ? -1 : 1))).toMatchObject([
      { clazz_name: 'Named', teacher_name: 'Tom', ...ANN },
      { clazz_name: 'Named', teacher_name: 'Tom', ...UNKNOWN },
    ]);
  });

  it('contain the students of a roll call, of its history and of a missing one', async () => {
    const lesson = await school.lesson(id, -2, { teacher_id: 'aide' });
    const path = { lesson_id: lesson.id };
    const { items } = await school.supervisor.ok(rollCallCalls.listMissingRollCalls, { query: { clazz_id: id } });
    expect(items).toMatchObject([{ clazz_name: 'Named', teacher_name: 'Ada', unmarked_names: ['Ann', null] }]);
    const body = { marks: [{ student_id: 'ann', mark: 'present' as const }] };
    const taken = await school.teacher.ok(rollCallCalls.submitRollCall, { path, body });
    const marks = [
      { ...ANN, marked_by: 'teacher-1', marked_by_name: 'Tom' },
      { ...UNKNOWN, marked_by: null, marked_by_name: null },
    ];
    expect(taken).toMatchObject({ lesson: { teacher_name: 'Ada' }, marks });
    expect(await school.rollCall(lesson.id)).toMatchObject({ lesson: { teacher_name: 'Ada' }, marks });
    const history = await school.teacher.ok(rollCallCalls.listRollCallRevisions, { path });
    expect(history.items).toMatchObject([{ ...ANN, marked_by_name: 'Tom' }]);
  });

  it('contain enrolled and suspended students, also in the preview of a completion', async () => {
    const path = { id, student_id: 'ann' };
    expect(await school.supervisor.ok(enrolmentCalls.suspendEnrolment, { path })).toMatchObject(ANN);
    expect(await school.supervisor.ok(enrolmentCalls.resumeEnrolment, { path })).toMatchObject(ANN);
    const preview = await school.supervisor.ok(clazzCalls.previewClazzCompletion, { path: { id } });
    expect(preview.enrolments_to_end).toMatchObject([ANN, UNKNOWN]);
    expect(preview.relations_to_end).toContainEqual({
      ...ANN,
      teacher_id: 'teacher-1',
      teacher_name: 'Tom',
      role: 'lead',
    });
  });

  it('contain class and teacher of a lesson after each change, and of a series', async () => {
    const { supervisor } = school;
    const names = { clazz_name: 'Named', teacher_name: 'Ada' };
    const starts_at = school.inHours(30);
    const lesson = await supervisor.ok(lessonCalls.createLesson, {
      path: { id },
      body: { starts_at, ends_at: school.inHours(31), teacher_id: 'aide' },
    });
    expect(lesson).toMatchObject(names);
    const path = { lesson_id: lesson.id };
    expect(await supervisor.ok(seriesCalls.updateLesson, { path, body: { topic: 'x' } })).toMatchObject(names);
    expect(await supervisor.ok(lessonCalls.cancelLesson, { path })).toMatchObject(names);
    expect(await supervisor.ok(lessonCalls.restoreLesson, { path, body: { reason: 'x' } })).toMatchObject(names);
    const body = { starts_on: '2026-03-09', start_time: '08:00', duration_minutes: 60, zone: 'UTC' };
    const series = { ...body, rrule: 'FREQ=DAILY', count: 2, teacher_id: 'aide' };
    const { items } = await supervisor.ok(seriesCalls.createLessonSeries, { path: { id }, body: series });
    expect(items).toMatchObject([names, names]);
    const { occurrences } = await supervisor.ok(seriesCalls.previewLessonSeries, { path: { id }, body: series });
    expect(occurrences[0]?.conflicts).toMatchObject([
      { ...names, student_ids: ['ann', 'unknown'], student_names: ['Ann', null] },
    ]);
  });

  it('contain the people of a leave after each decision, and the times of its lesson and make-up', async () => {
    const { supervisor } = school;
    const missed = await school.lesson(id, 50);
    const other = await school.lesson(await school.classOf([]), 60);
    const shown = {
      ...ANN,
      clazz_name: 'Named',
      lesson_starts_at: missed.starts_at,
      lesson_ends_at: missed.ends_at,
      requested_by_name: 'Sue',
    };
    const members = [{ user_id: 'supervisor-1', role: 'SUPERVISOR' as const, display_name: 'Sue' }];
    await supervisor.ok(memberCalls.putMembers, { body: { members } });
    const request = { student_id: 'ann', lesson_id: missed.id, reason: 'x', called_at: school.inHours(-1) };
    const { items } = await supervisor.ok(leaveCalls.requestLeave, { body: request });
    expect(items).toMatchObject([{ ...shown, called_by: 'ann', called_by_name: 'Ann', decided_by_name: null }]);
    const path = { id: items[0]?.id ?? '' };
    expect(await supervisor.ok(leaveCalls.approveLeave, { path })).toMatchObject({ ...shown, decided_by_name: 'Sue' });
    const options = await supervisor.ok(leaveCalls.listMakeUpOptions, {
      path,
      query: { from: school.inHours(59), to: school.inHours(61) },
    });
    expect(options.items).toMatchObject([{ id: other.id, clazz_name: 'Algebra', teacher_name: null }]);
    const booked = { lesson_starts_at: other.starts_at, lesson_ends_at: other.ends_at };
    const made = await supervisor.ok(leaveCalls.bookMakeUp, { path, body: { lesson_id: other.id } });
    expect(made).toMatchObject({ ...shown, make_up: { lesson_id: other.id, ...booked } });
    expect(await supervisor.ok(leaveCalls.getLeave, { path })).toEqual(made);
    const undone = { lesson_id: null, lesson_starts_at: null, lesson_ends_at: null };
    expect(await supervisor.ok(leaveCalls.undoMakeUp, { path })).toMatchObject({ ...shown, make_up: undone });
    const cancelled = await supervisor.ok(leaveCalls.cancelLeave, { path });
    expect(cancelled).toMatchObject({ ...shown, cancelled_by_name: 'Sue' });
    const again = await supervisor.ok(leaveCalls.requestLeave, { body: request });
    const rejected = { path: { id: again.items[0]?.id ?? '' } };
    expect(await supervisor.ok(leaveCalls.rejectLeave, rejected)).toMatchObject({ ...shown, status: 'rejected' });
  });

  it('contain students whose hours are transferred, adjusted and refunded', async () => {
    const { supervisor } = school;
    await school.grant('ann', '5.00', { price_minor: 500, currency: 'EUR' });
    const move = { from_student_id: 'ann', to_student_id: 'unknown', hours: '1.00', reason: 'x' };
    expect(await supervisor.ok(hourCalls.transferHours, { body: move })).toMatchObject({ from: ANN, to: UNKNOWN });
    const adjust = { student_id: 'ann', hours: '1.00', reason: 'x' };
    expect(await supervisor.ok(hourCalls.adjustHours, { body: adjust })).toMatchObject(ANN);
    const quote = await supervisor.ok(hourCalls.quoteRefund, { body: { student_id: 'ann' } });
    expect(quote).toMatchObject(ANN);
    expect(await supervisor.ok(hourCalls.refundHours, { body: { quote_id: quote.quote_id } })).toMatchObject(ANN);
  });

  it('contain actor and class of an audit entry, also of an entry about several classes', async () => {
    const { items: shown } = await school.supervisor.ok(clazzCalls.listClazzes, { query: {} });
    const nameOf = new Map(shown.map((row) => [row.id, row.name]));
    const listOf = { path: { id }, query: { action: 'read' as const } };
    const [entry] = (await school.supervisor.ok(auditCalls.listClazzAuditEntries, listOf)).items;
    expect(entry).toMatchObject({ clazz_id: id, clazz_name: 'Named', actor_id: 'supervisor-1', actor_name: 'Sue' });
    expect(entry?.clazz_ids).toHaveLength(shown.length);
    expect(entry?.clazz_names).toEqual(entry?.clazz_ids?.map((one) => nameOf.get(one)));
    const [whole] = (await school.supervisor.ok(auditCalls.listAuditEntries, { query: { action: 'read' } })).items;
    expect(whole).toMatchObject({ clazz_name: null, clazz_names: entry?.clazz_names, actor_name: 'Sue' });
  });

  it('contain both classes of a transfer, and the class of a preview of completion', async () => {
    const { supervisor } = school;
    const into = (await newClazz(supervisor, { name: 'Into', lead_teacher_id: 'other' })).id;
    const path = { id, student_id: 'unknown' };
    const moved = await supervisor.ok(enrolmentCalls.transferEnrolment, { path, body: { to_clazz_id: into } });
    expect(moved).toMatchObject({ ...UNKNOWN, clazz_name: 'Into', from: { ...UNKNOWN, clazz_name: 'Named' } });
    const { items } = await supervisor.ok(enrolmentCalls.listEnrolments, { path: { id } });
    expect(items).toMatchObject([{ clazz_name: 'Named' }, { clazz_name: 'Named' }]);
    const missing = await school.lesson(id, -4);
    const preview = await supervisor.ok(clazzCalls.previewClazzCompletion, { path: { id } });
    const { starts_at, ends_at } = missing;
    expect(preview).toMatchObject({ clazz_name: 'Named' });
    expect(preview.blockers).toContainEqual(
      expect.objectContaining({ lesson_id: missing.id, starts_at, ends_at, student_name: null }),
    );
  });
});

import { clazzCalls, clazzEvents, enrolmentCalls, relationCalls, rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '../../../tools/test/clock.ts';
import type { Fixture } from '../../../tools/test/fixture.ts';
import { MONDAY, openSchool, type School } from './school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
let id: string;
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
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

describe('names stand beside ids', () => {
  it('of the teachers of a class, one or listed, and in no event', async () => {
    const teacher_ids = ['nobody', 'aide'];
    const names = { lead_teacher_name: 'Tom', assistant_ids: teacher_ids, assistant_names: [null, 'Ada'] };
    expect(await school.supervisor.ok(clazzCalls.setAssistants, { path: { id }, body: { teacher_ids } })).toMatchObject(
      names,
    );
    expect(await school.supervisor.ok(clazzCalls.get, { path: { id } })).toMatchObject(names);
    const { items } = await school.supervisor.ok(clazzCalls.list, { query: { keyword: 'named' } });
    expect(items).toMatchObject([names]);
    const [told] = (await fixture.told('clazz', clazzEvents.clazzChanged)).slice(-1);
    expect(told?.data.clazz).not.toHaveProperty('lead_teacher_name');
  });

  it('of teachers and students of a relation', async () => {
    const query = { teacher_id: 'teacher-1' };
    const { items } = await school.supervisor.ok(relationCalls.myStudents, { query });
    expect(items.toSorted((a, b) => (a.student_id < b.student_id ? -1 : 1))).toMatchObject([
      { clazz_name: 'Named', teacher_name: 'Tom', ...ANN },
      { clazz_name: 'Named', teacher_name: 'Tom', ...UNKNOWN },
    ]);
  });

  it('in a roll call, before and after, its history, and where one is missing', async () => {
    const lesson = await school.lesson(id, -2, { teacher_id: 'aide' });
    const path = { lesson_id: lesson.id };
    const { items } = await school.supervisor.ok(rollCallCalls.missing, { query: { clazz_id: id } });
    expect(items).toMatchObject([{ clazz_name: 'Named', teacher_name: 'Ada', unmarked_names: ['Ann', null] }]);
    const body = { marks: [{ student_id: 'ann', mark: 'present' as const }] };
    const taken = await school.teacher.ok(rollCallCalls.submit, { path, body });
    const marks = [
      { ...ANN, marked_by: 'teacher-1', marked_by_name: 'Tom' },
      { ...UNKNOWN, marked_by: null, marked_by_name: null },
    ];
    expect(taken).toMatchObject({ lesson: { teacher_name: 'Ada' }, marks });
    expect(await school.rollCall(lesson.id)).toMatchObject({ lesson: { teacher_name: 'Ada' }, marks });
    const history = await school.teacher.ok(rollCallCalls.history, { path });
    expect(history.items).toMatchObject([{ ...ANN, marked_by_name: 'Tom' }]);
  });

  it('of who is enrolled, suspended, and what completing would end', async () => {
    const path = { id, student_id: 'ann' };
    expect(await school.supervisor.ok(enrolmentCalls.suspend, { path })).toMatchObject(ANN);
    expect(await school.supervisor.ok(enrolmentCalls.resume, { path })).toMatchObject(ANN);
    const preview = await school.supervisor.ok(clazzCalls.completionPreview, { path: { id } });
    expect(preview.enrolments_to_end).toMatchObject([ANN, UNKNOWN]);
    expect(preview.relations_to_end).toContainEqual({
      ...ANN,
      teacher_id: 'teacher-1',
      teacher_name: 'Tom',
      role: 'lead',
    });
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';
import { transactionStatements } from './count-statements.ts';

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
/** The ids that replace the placeholders of the paths below. */
const ids = { clazz: '', lesson: '', leave: '', student: '' };
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
  const students = school.students(3);
  const [student = ''] = students;
  const clazz = await school.classOf(students, { capacity: 5 });
  const other = await school.classOf([], { capacity: 5 });
  const lesson = await school.lesson(clazz, 40);
  for (const hours of [-3, 50, 60]) await school.lesson(clazz, hours);
  for (const hours of [45, 55, 65]) await school.lesson(other, hours);
  for (const one of students) await school.grant(one, '3');
  for (const name of ['A', 'B', 'C']) await school.supervisor.post('/clazz/room', { name });
  const members = ['teacher-8', 'teacher-9'].map((user_id) => ({ user_id, role: 'TEACHER', display_name: user_id }));
  await school.supervisor.put('/ws/member/bulk', { members });
  const requested = await school.student(student).post('/clazz/leave', { lesson_id: lesson.id, reason: 'ill' });
  const leave = requested.body.items?.[0]?.id ?? '';
  await school.supervisor.post(`/clazz/leave/${leave}/approve`);
  await school.student(students[1] ?? '').post('/clazz/leave', { lesson_id: lesson.id, reason: 'ill' });
  Object.assign(ids, { clazz, lesson: lesson.id, leave, student });
});
afterAll(() => fixture?.stop());

/**
 * Each list with the number of statements that read it, and a pattern that matches only one of them. The statement that
 * records the read does not count. A list with several statements first reads the record of its path, or also reads
 * related rows, such as texts of the audit log. Make-up options read everything that a booking checks.
 */
const LISTS: Readonly<Record<string, readonly [reads: number, pattern: RegExp]>> = {
  'clazz/lesson': [1, /as enrolled/],
  'clazz/lesson?roll_call=missing,incomplete': [1, /as enrolled/],
  'clazz/lesson/my': [1, /from lesson/],
  clazz: [1, /from clazz/],
  'clazz/hour/account': [1, /from hour_account a/],
  'clazz/hour/entry': [1, /from hour_entry e/],
  'clazz/leave': [1, /quota_taken/],
  'clazz/relation/my-students?teacher_id=teacher-1': [1, /from relation/],
  'ws/member': [1, /from member/],
  'clazz/room': [1, /from room/],
  'clazz/room/free?from=2040-01-01T00:00:00Z&to=2040-01-02T00:00:00Z': [1, /from room/],
  'clazz/{clazz}/student': [2, /from enrolment e/],
  'clazz/{clazz}/lesson': [2, /from lesson/],
  'clazz/roll-call/missing': [3, /from lesson_student s/],
  'clazz/lesson/{lesson}/substitute/options': [2, /with teachers/],
  'clazz/leave/{leave}/make-up/options': [9, /as fullness/],
  'clazz/hour/entry/{student}': [3, /from hour_entry/],
  'clazz/audit-log': [2, /from clazz_audit_log/],
  'clazz/{clazz}/audit-log': [3, /from clazz_audit_log/],
};

/** Statements that bind a connection or wait for the audit log. They do not read the list. */
const NOT_COUNTED = /set_config|from trail_progress|from dead_letter/;
const isRead = (text: string): boolean => /^\s*(\(?select|with)\b/.test(text) && !NOT_COUNTED.test(text);

it.each(Object.entries(LISTS).map(([path, [reads, pattern]]) => ({ path, reads, pattern })))(
  'GET $path takes $reads reading statements for any number of rows',
  async ({ path, reads, pattern }) => {
    const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: keyof typeof ids) => ids[name]);
    const countStatements = async (limit: number) => {
      const texts = await transactionStatements(pattern, async () => {
        expectOk(await school.supervisor.get(`/${at}${at.includes('?') ? '&' : '?'}limit=${limit}`));
      });
      const [writes, read] = [texts.filter((text) => !isRead(text)), texts.filter(isRead)];
      return { read: read.length, recorded: writes.filter((text) => text.includes('insert')).length };
    };
    const [one, many] = [await countStatements(1), await countStatements(100)];
    expect(many.read).toBe(reads);
    expect(one.read).toBeLessThanOrEqual(reads);
    expect(Math.max(one.recorded, many.recorded)).toBeLessThanOrEqual(1);
  },
);

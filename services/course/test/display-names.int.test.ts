import {
  courseCalls,
  courseCategoryCalls,
  courseGroupCalls,
  courseSectionCalls,
  dakaCalls,
  jihuaCalls,
  lianxiCalls,
  memberCalls,
  piyueCalls,
} from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'clazz', 'package'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture, 'ann');
const ANN = { user_id: 'ann', role: 'STUDENT', display_name: 'Ann A.' } as const;
const LEE = { user_id: 'teacher-1', role: 'TEACHER', display_name: 'Ms Lee' } as const;

it('every answer contains names beside ids, and null for people who are not in the directory', async () => {
  const admin = supervisor();
  await admin.ok(memberCalls.putMembers, { body: { members: [ANN, LEE] } });
  const category = await admin.ok(courseCategoryCalls.createCourseCategory, { body: { name: 'Maths' } });
  const lee = teacher();
  const body = { title: 'Algebra', category_id: category.id, status: 'active' } as const;
  const { id: course_id } = await lee.ok(courseCalls.createCourse, { body });
  const path = { id: course_id };
  const course = { teacher_name: LEE.display_name, category_name: 'Maths' };
  // The course service receives the directory by events, so the names appear a moment later.
  await expect.poll(() => lee.ok(courseCalls.getCourse, { path })).toMatchObject(course);
  expect((await lee.ok(courseCalls.listCourses)).items).toMatchObject([course]);
  const group = await lee.ok(courseGroupCalls.createCourseGroup, { body: { name: 'g' } });
  await lee.ok(courseGroupCalls.putCourseGroupCourses, { path: { id: group.id }, body: { course_ids: [course_id] } });
  const shown = { owner_name: LEE.display_name, courses: [{ teacher_name: LEE.display_name }] };
  expect(await lee.ok(courseGroupCalls.getCourseGroup, { path: { id: group.id } })).toMatchObject(shown);
  expect((await lee.ok(courseGroupCalls.listCourseGroups)).items).toMatchObject([shown]);

  const { id: section } = await lee.ok(courseSectionCalls.createCourseSection, {
    path: { course_id },
    body: { title: 'One' },
  });
  const content = { questions: [{ id: 'q', kind: 'free_text', prompt: '?', points: 1 } as const] };
  const exercise = { title: 'P', course_section_id: section, content, student_ids: ['ann', 'nobody'] };
  const { id } = await lee.ok(lianxiCalls.createLianxi, { body: exercise });
  const names = { teacher_name: LEE.display_name, course_title: 'Algebra', course_section_title: 'One' };
  const students = { student_names: [ANN.display_name, null] };
  expect(await lee.ok(lianxiCalls.getLianxi, { path: { id } })).toMatchObject({ ...names, ...students });
  expect((await lee.ok(lianxiCalls.listLianxi)).items).toMatchObject([names]);
  const ann = student();
  expect(await ann.ok(lianxiCalls.getLianxi, { path: { id } })).toMatchObject(names);
  expect((await ann.ok(lianxiCalls.listLianxi)).items).toMatchObject([names]);
  const missing = { not_handed_in: exercise.student_ids, not_handed_in_names: students.student_names };
  expect(await lee.ok(lianxiCalls.getLianxiOverview, { path: { id } })).toMatchObject(missing);

  const attempt = await ann.ok(lianxiCalls.submitLianxi, { path: { id }, body: { answers: {} } });
  const its = { student_name: ANN.display_name, lianxi_title: 'P' };
  expect(attempt).toMatchObject(its);
  expect(attempt).not.toHaveProperty('marked_by_name');
  const due = { student_id: 'ann', due_at: '2060-01-01T00:00:00Z' };
  const extension = { student_name: ANN.display_name, granted_by_name: LEE.display_name };
  expect(await lee.ok(lianxiCalls.extendLianxi, { path: { id }, body: due })).toMatchObject(extension);
  const waiting = { ...its, claimed_by_name: null, marked_by_name: null };
  expect((await lee.ok(piyueCalls.listPiyueQueue)).items).toMatchObject([waiting]);
  const submission = { submission_id: attempt.id };
  const claimed = { ...waiting, claimed_by_name: LEE.display_name };
  expect(await lee.ok(piyueCalls.claimSubmission, { path: submission })).toMatchObject(claimed);
  expect((await lee.ok(piyueCalls.listPiyueQueue)).items).toMatchObject([claimed]);
  const marked = { ...its, claimed_by_name: null, marked_by_name: LEE.display_name };
  expect(await lee.ok(piyueCalls.markSubmission, { path: submission, body: { score: 1 } })).toMatchObject(marked);
  const release = { body: { submission_ids: [attempt.id] } };
  expect((await lee.ok(piyueCalls.releaseSubmissionMarks, release)).items).toMatchObject([marked]);
  expect((await lee.ok(lianxiCalls.listSubmissions, { path: { id } })).items).toMatchObject([marked]);
  const history = await lee.ok(piyueCalls.listSubmissionMarks, { path: submission });
  expect(history.items).toMatchObject([{ marked_by_name: LEE.display_name }]);
  const [own] = (await ann.ok(lianxiCalls.listSubmissions, { path: { id } })).items;
  expect(own).toMatchObject(its);
  expect(own).not.toHaveProperty('marked_by_name');
  expect(own).not.toHaveProperty('claimed_by_name');

  const today = new Date().toISOString().slice(0, 10);
  const days = { starts_on: today, ends_on: today, zone: 'UTC', backfill_days: 9 };
  const plan = { title: 'Daily', ...days, student_ids: ['ann', 'nobody'] };
  const jihua = await lee.ok(jihuaCalls.createJihua, { body: plan });
  const lead = { teacher_name: LEE.display_name };
  const each = students.student_names.map((student_name) => ({ student_name }));
  const whole = { ...lead, ...students, students: each };
  expect(await lee.ok(jihuaCalls.getJihua, { path: { id: jihua.id } })).toMatchObject(whole);
  expect(await ann.ok(jihuaCalls.getJihua, { path: { id: jihua.id } })).toMatchObject(lead);
  expect((await ann.ok(jihuaCalls.listJihua)).items).toMatchObject([lead]);
  const checkIn = { student_name: ANN.display_name, jihua_title: 'Daily' };
  expect(await ann.ok(dakaCalls.putDaka, { body: { jihua_id: jihua.id } })).toMatchObject(checkIn);
  expect((await lee.ok(dakaCalls.listDaka, { query: { jihua_id: jihua.id } })).items).toMatchObject([checkIn]);
});

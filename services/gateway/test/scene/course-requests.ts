import {
  courseCalls,
  courseCategoryCalls,
  courseGroupCalls,
  courseSectionCalls,
  jihuaCalls,
  lianxiCalls,
  piyueCalls,
} from '@teaching/contracts';
import { addDays } from '@teaching/kit';
import type { Api } from '../../../../tools/proofs/test/api.ts';
import { PERSON, type ReadyRequests, type Scene } from './scene.ts';

const onCategory: ReadyRequests = async ({ boss, name }) => {
  const { id } = await boss.ok(courseCategoryCalls.createCourseCategory, { body: { name: name('category') } });
  return { path: { id } };
};
const course = async ({ boss }: Scene): Promise<string> =>
  (await boss.ok(courseCalls.createCourse, { body: { title: 'C', teacher_id: PERSON.TEACHER } })).id;
const onCourse: ReadyRequests = async (scene) => ({ path: { id: await course(scene) } });
const section = async ({ lee }: Scene, course_id: string): Promise<string> =>
  (await lee.ok(courseSectionCalls.createCourseSection, { path: { course_id }, body: { title: 'S' } })).id;
const onSection: ReadyRequests = async (scene) => ({ path: { id: await section(scene, scene.course) } });
const onGroup: ReadyRequests = async ({ boss }) => {
  const { id } = await boss.ok(courseGroupCalls.createCourseGroup, { body: { name: 'G', owner_id: PERSON.TEACHER } });
  return { path: { id } };
};

/** A practice that lee created for ann. */
const practice = async ({ lee, section: course_section_id }: Scene): Promise<string> => {
  const content = { questions: [{ id: 'q', kind: 'free_text', prompt: '?', points: 2 } as const] };
  const body = { title: 'L', course_section_id, content, student_ids: [PERSON.STUDENT] };
  return (await lee.ok(lianxiCalls.createLianxi, { body })).id;
};
const onPractice: ReadyRequests = async (scene) => ({ path: { id: await practice(scene) } });
const handedIn = async (scene: Scene): Promise<string> => {
  const path = { id: await practice(scene) };
  return (await scene.ann.ok(lianxiCalls.submitLianxi, { path, body: { answers: { q: 'a' } } })).id;
};
const claimed = async (scene: Scene, me: Api): Promise<string> => {
  const submission_id = await handedIn(scene);
  await me.ok(piyueCalls.claimSubmission, { path: { submission_id } });
  return submission_id;
};

const fromToday = (days: number): string => addDays(new Date().toISOString().slice(0, 10), days);
/** A plan that lee created for ann and that includes today in every time zone. */
const plan = async ({ lee }: Scene): Promise<string> => {
  const body = {
    title: 'J',
    starts_on: fromToday(-1),
    ends_on: fromToday(1),
    zone: 'UTC',
    student_ids: [PERSON.STUDENT],
  };
  return (await lee.ok(jihuaCalls.createJihua, { body })).id;
};
const onPlan: ReadyRequests = async (scene) => ({ path: { id: await plan(scene) } });

export const courseRequests: Readonly<Record<string, ReadyRequests>> = {
  'course.category.create': ({ name, our }) => ({ body: { name: name('category'), parent_id: our.category } }),
  'course.category.update': async (scene, me) => ({
    ...(await onCategory(scene, me)),
    body: { name: scene.name('category') },
  }),
  'course.category.remove': onCategory,
  'course.course.update': onCourse,
  'course.course.remove': onCourse,
  'course.section.create': ({ course: course_id }) => ({ path: { course_id } }),
  'course.section.update': onSection,
  'course.section.remove': onSection,
  'course.section.reorder': async (scene) => {
    const course_id = await course(scene);
    const section_ids = [await section(scene, course_id), await section(scene, course_id)].toReversed();
    return { path: { course_id }, body: { section_ids } };
  },
  'course.group.update': onGroup,
  'course.group.remove': onGroup,
  'course.group.put_courses': onGroup,
  'course.lianxi.update': onPractice,
  'course.lianxi.remove': onPractice,
  'course.lianxi.extend': onPractice,
  'course.submission.create': onPractice,
  'course.piyue.claim': async (scene) => ({ path: { submission_id: await handedIn(scene) } }),
  'course.piyue.mark': async (scene, me) => ({ path: { submission_id: await claimed(scene, me) } }),
  'course.piyue.release': async (scene, me) => {
    const submission_id = await claimed(scene, me);
    await me.ok(piyueCalls.markSubmission, { path: { submission_id }, body: { score: 1 } });
    return { body: { submission_ids: [submission_id] } };
  },
  'course.jihua.update': onPlan,
  'course.jihua.remove': onPlan,
  'course.jihua.put_students': async ({ name, ...scene }, me) => ({
    ...(await onPlan({ name, ...scene }, me)),
    body: { student_ids: [PERSON.STUDENT, name('student').replace(' ', '-')] },
  }),
  'course.daka.put': async (scene) => ({ body: { jihua_id: await plan(scene), student_id: PERSON.STUDENT } }),
};

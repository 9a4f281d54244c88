import {
  ALL_ROLES,
  allCalls,
  clazzCalls,
  courseCategoryCalls,
  enrolmentCalls,
  hourCalls,
  leaveCalls,
  lessonCalls,
  lianxiCalls,
  packageCalls,
  piyueCalls,
  type ProblemCode,
  roomCalls,
} from '@teaching/contracts';
import type { OneOfEach } from '../../../../tools/proofs/test/one-of-each.ts';
import { singleElement } from '../../../../tools/proofs/test/single-element.ts';
import { readyRequest } from './ready-request.ts';
import { PERSON, type Scene } from './scene.ts';

/** A record in a state: every call with the code in its contract refuses it with that code. */
export interface State {
  what: string;
  code: ProblemCode;
  /** The record with this state, which replaces the record of its kind. */
  made: (scene: Scene) => Promise<Partial<OneOfEach>>;
  /** Only these calls; by default all with the code. */
  of?: RegExp;
}

/** The record that a successful request of another call names. */
const pathOf = async (scene: Scene, id: string): Promise<Record<string, string>> => {
  const call = allCalls.find((one) => one.id === id);
  if (call === undefined) throw new Error(`unknown call ${id}`);
  return (await readyRequest(scene, call, ALL_ROLES.find((role) => call.roles.includes(role)) ?? 'SUPERVISOR'))
    .path as Record<string, string>;
};
const idFor = async (scene: Scene, call: string, name = 'id'): Promise<string> =>
  (await pathOf(scene, call))[name] ?? '';
const priced = async (scene: Scene, fields: object): Promise<string> => {
  const { id } = await scene.boss.ok(packageCalls.createPackage, { body: { title: 'P', ...fields } });
  const items = [{ course_id: scene.our.course, title: 'I', hours: 1 }];
  await scene.boss.ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
  return id;
};

/** A class of ann that ended in this way, with a lesson before its end and a leave from a later one. */
const over = async (scene: Scene, how: 'completeClazz' | 'cancelClazz') => {
  const [clazz, student] = [await scene.clazz(), PERSON.STUDENT];
  await scene.boss.ok(enrolmentCalls.enrolStudents, {
    path: { id: clazz },
    body: { student_ids: [student], since: '2020-01-01T00:00:00Z' },
  });
  const path = { id: clazz };
  const { id: lesson } = await scene.boss.ok(lessonCalls.createLesson, { path, body: scene.minute() });
  const { id: lesson_with_leave } = await scene.boss.ok(lessonCalls.createLesson, {
    path: { id: clazz },
    body: scene.hour(),
  });
  const { items } = await scene.ann.ok(leaveCalls.requestLeave, {
    body: { lesson_id: lesson_with_leave, reason: 'x' },
  });
  const leave = singleElement(items).id;
  await scene.boss.ok(leaveCalls.approveLeave, { path: { id: leave } });
  const body = how === 'completeClazz' ? { force: true, reason: 'x' } : {};
  await scene.boss.ok(clazzCalls[how], { path: { id: clazz }, body });
  return { clazz, student, lesson, lesson_with_leave, leave };
};
const practice = async (scene: Scene, fields: object): Promise<string> => {
  const { section: course_section_id } = scene;
  const body = { title: 'L', course_section_id, content: { questions: [] }, student_ids: [PERSON.STUDENT], ...fields };
  return (await scene.lee.ok(lianxiCalls.createLianxi, { body })).id;
};

/** A credit ends with its class, so a make-up in a closed class is of another student's lesson. */
const BUT_MAKING_UP = /^(?!clazz\.leave\.make_up$)/;

export const STATES: readonly State[] = [
  {
    what: 'a published package',
    code: 'package_published',
    made: async (scene) => ({ package: await idFor(scene, 'package.package.unpublish') }),
  },
  {
    what: 'a package that is not published',
    code: 'package_not_published',
    made: async (scene) => ({ package: await idFor(scene, 'package.package.publish') }),
  },
  {
    what: 'a package without items',
    code: 'package_empty',
    made: async (scene) => ({
      package: (await scene.boss.ok(packageCalls.createPackage, { body: { title: 'P' } })).id,
    }),
  },
  {
    what: 'a package with a price and without hours',
    code: 'package_incomplete',
    made: async (scene) => ({ package: await priced(scene, { price_minor: 1, currency: 'EUR' }) }),
  },
  { what: 'a completed class', code: 'clazz_closed', of: BUT_MAKING_UP, made: (scene) => over(scene, 'completeClazz') },
  { what: 'a cancelled class', code: 'clazz_closed', of: BUT_MAKING_UP, made: (scene) => over(scene, 'cancelClazz') },
  {
    what: 'a cancelled class itself',
    code: 'invalid_transition',
    of: /^clazz\.clazz\./,
    made: async (scene) => ({ clazz: (await over(scene, 'cancelClazz')).clazz }),
  },
  {
    what: 'a student who left the class',
    code: 'invalid_transition',
    made: async (scene) => {
      const { id, student_id } = await scene.attended();
      await scene.boss.ok(enrolmentCalls.withdrawEnrolment, { path: { id, student_id } });
      return { clazz: id, student: student_id };
    },
    of: /^clazz\.enrolment\./,
  },
  {
    what: 'a cancelled lesson',
    code: 'invalid_transition',
    made: async (scene) => {
      const lesson = await idFor(scene, 'clazz.lesson.restore', 'lesson_id');
      return { lesson, lesson_with_leave: lesson };
    },
    of: /^clazz\.(lesson\.(update|cancel)|roll_call\.submit|leave\.request)$/,
  },
  {
    what: 'a future lesson',
    code: 'invalid_transition',
    of: /^clazz\.lesson\.restore$/,
    made: async (scene) => ({ lesson: await scene.lesson() }),
  },
  {
    what: 'a leave that was rejected',
    code: 'invalid_transition',
    made: async (scene) => {
      const leave = await idFor(scene, 'clazz.leave.reject');
      await scene.boss.ok(leaveCalls.rejectLeave, { path: { id: leave } });
      return { leave };
    },
    of: /^clazz\.leave\.(approve|reject|cancel)$/,
  },
  {
    what: 'an undecided leave, to reopen it',
    code: 'invalid_transition',
    of: /^clazz\.leave\.reopen$/,
    made: async (scene) => ({ leave: await idFor(scene, 'clazz.leave.reject') }),
  },
  {
    what: 'an undecided leave',
    code: 'credit_unavailable',
    made: async (scene) => {
      const leave = await idFor(scene, 'clazz.leave.approve');
      return { leave, approved: leave };
    },
  },
  {
    what: "a lesson of the student's own class, to make up for another",
    code: 'already_attending',
    of: /^clazz\.leave\.make_up$/,
    made: async (scene) => ({ leave: await idFor(scene, 'clazz.leave.make_up'), other_lesson: await scene.lesson() }),
  },
  {
    what: 'a lesson of a closed class, to make up for another',
    code: 'clazz_closed',
    of: /^clazz\.leave\.make_up$/,
    made: async (scene) => ({
      leave: await idFor(scene, 'clazz.leave.make_up'),
      other_lesson: (await over(scene, 'cancelClazz')).lesson_with_leave,
    }),
  },
  {
    what: 'a submission that another teacher is marking',
    code: 'claim_held',
    made: async (scene) => {
      const submission = await idFor(scene, 'course.piyue.claim', 'submission_id');
      await scene.lee.ok(piyueCalls.claimSubmission, { path: { submission_id: submission } });
      return { submission };
    },
  },
  {
    what: 'an unclaimed submission',
    code: 'not_claimed',
    made: async (scene) => ({ submission: await idFor(scene, 'course.piyue.claim', 'submission_id') }),
  },
  {
    what: 'a submission without a mark',
    code: 'not_marked',
    made: async (scene) => ({ submission: await idFor(scene, 'course.piyue.claim', 'submission_id') }),
  },
  {
    what: 'a practice that is closed',
    code: 'practice_closed',
    made: async (scene) => ({ lianxi: await practice(scene, { closes_at: '2021-01-01T00:00:00Z' }) }),
  },
  {
    what: 'a practice without attempts left',
    code: 'attempts_used_up',
    made: async (scene) => {
      const lianxi = await practice(scene, { max_attempts: 1 });
      await scene.ann.ok(lianxiCalls.submitLianxi, { path: { id: lianxi }, body: { answers: {} } });
      return { lianxi };
    },
  },
  {
    what: 'a category next to and above another of the same name',
    code: 'duplicate',
    of: /^course\.category\./,
    made: async (scene) => {
      const create = async (name: string, parent_id?: string): Promise<string> =>
        (await scene.boss.ok(courseCategoryCalls.createCourseCategory, { body: { name, parent_id } })).id;
      await create('x');
      const category = await create(scene.name('category'));
      await create('x', category);
      return { category };
    },
  },
  {
    what: 'a room next to another of the same name',
    code: 'duplicate',
    of: /^clazz\.room\./,
    made: async (scene) => {
      await scene.boss.ok(roomCalls.createRoom, { body: { name: 'x' } });
      return { room: await idFor(scene, 'clazz.room.remove') };
    },
  },
  {
    what: 'a student who is in both classes',
    code: 'duplicate',
    of: /^clazz\.enrolment\./,
    made: async (scene) => {
      const [clazz, other_clazz] = [await scene.clazz(), await scene.clazz()];
      for (const id of [clazz, other_clazz])
        await scene.boss.ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids: ['bob'] } });
      return { clazz, other_clazz, student: 'bob' };
    },
  },
  { what: 'a lesson with a mark', code: 'lesson_in_use', made: async () => ({}) },
  {
    what: 'a grant that was undone',
    code: 'in_use',
    of: /^clazz\.hour\.undo_grant$/,
    made: async (scene) => {
      const lot_id = await idFor(scene, 'clazz.hour.undo_grant', 'lot_id');
      await scene.boss.ok(hourCalls.undoGrant, { path: { lot_id } });
      return { lot: lot_id };
    },
  },
  {
    what: 'a record that another record refers to',
    code: 'in_use',
    of: /^(?!clazz\.clazz).*\.remove$/,
    made: async (scene) => {
      const id = await idFor(scene, 'package.package.publish');
      await scene.boss.ok(packageCalls.publishPackage, { path: { id } });
      await scene.boss.ok(hourCalls.grantHours, { body: { student_id: PERSON.STUDENT, hours: 1, package_id: id } });
      await scene.boss.ok(packageCalls.unpublishPackage, { path: { id } });
      return { leaver: PERSON.STUDENT, package: id };
    },
  },
];

import {
  type Clazz,
  clazzCalls,
  ClazzFields,
  type FieldProblem,
  type Input,
  packageCalls,
  unknownIds,
} from '@teaching/contracts';
import { type Handler, newRecord, twoStepHandler, type Session } from '@teaching/kit';
import { enrolStudents } from '../people/enrol-students.ts';
import { studentPath } from '../people/enrolment.rules.ts';
import { shownEnrolments } from '../people/read-enrolments.ts';
import { openStaffPeriods } from '../people/staff-periods.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/member-names.ts';
import type { NamedMember } from '../record/named-members.rules.ts';
import { CLAZZ } from '../record/record.tables.ts';
import { requireListedPeople } from '../record/require-listed-people.ts';
import { isCourseMissing } from '../reference/missing-references.ts';
import { requireTransition } from './clazz.rules.ts';
import { recordClazzChange, saveClazz } from './save-clazz.ts';

interface References {
  course_id?: string | null | undefined;
  course_package_id?: string | null | undefined;
}

const isPackageMissing = async (session: Session, id: string): Promise<boolean> => {
  const findMissing = await session.references.findMissing([id], async (package_ids) => {
    const answer = await session.peers.call(packageCalls.checkReferences, { package_ids });
    return { ...answer, missing: answer.package_ids };
  });
  return findMissing.size > 0;
};

/** Checks with the peer services that the course and the package exist in the org. 404, naming each that does not. */
export const requireClazzReferences = async (session: Session, { course_id, course_package_id }: References) => {
  const [course, pack] = await Promise.all([
    course_id == null ? false : isCourseMissing(session, course_id),
    course_package_id == null ? false : isPackageMissing(session, course_package_id),
  ]);
  const errors: FieldProblem[] = [
    ...(course ? [{ path: '/body/course_id', message: 'does not exist' }] : []),
    ...(pack ? [{ path: '/body/course_package_id', message: 'does not exist' }] : []),
  ];
  if (errors.length > 0) throw unknownIds(errors);
};

type Body = Input<typeof clazzCalls.createClazz>['body'];

/**
 * The people named by a new class. They are checked together, so that one refusal names all of them that are not
 * allowed.
 */
const namedMembers = ({ lead_teacher_id, student_ids }: Body): NamedMember[] => [
  { user_id: lead_teacher_id, role: 'TEACHER', path: '/body/lead_teacher_id' },
  ...(student_ids ?? []).map((user_id, n): NamedMember => ({ user_id, role: 'STUDENT', path: studentPath(n) })),
];

const draftOf = (session: Session, body: Body): Clazz => ({
  ...newRecord(session),
  ...ClazzFields.withDefaults(body, {}),
  assistant_ids: [],
  status: 'draft',
  completed_at: null,
});

/** Creates a class with the effects of the single calls: the draft, its students and its activation. */
export const createClazz = twoStepHandler(clazzCalls.createClazz, {
  prepare: ({ body }, session) => requireClazzReferences(session, body),
  run: async ({ body }, session) => {
    const student_ids = body.student_ids ?? [];
    const draft = draftOf(session, body);
    await requireListedPeople(session, namedMembers(body));
    session.insert(CLAZZ, draft);
    openStaffPeriods(session, draft.id, 'lead', [draft.lead_teacher_id], null);
    recordClazzChange(session, 'created', null, draft);
    const request = { student_ids, waitlist: body.waitlist };
    const enrolments = student_ids.length === 0 ? [] : await enrolStudents(session, draft, request);
    const created =
      body.activate === true ? saveClazz(session, draft, { ...draft, status: 'active' }, 'activated') : draft;
    const shown = await shownClazz(session, created);
    return enrolments.length === 0
      ? shown
      : { ...shown, enrolments: await shownEnrolments(session, draft, enrolments) };
  },
});

/** draft → active. */
export const activateClazz: Handler<typeof clazzCalls.activateClazz> = async ({ path }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireTransition(it.status, 'activate');
  return shownClazz(session, saveClazz(session, it, { ...it, status: 'active' }, 'activated'));
};

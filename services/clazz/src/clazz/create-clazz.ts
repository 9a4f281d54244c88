import { type Clazz, clazzCalls, ClazzFields, type Input } from '@teaching/contracts';
import { newRecord, prepared, type Session } from '@teaching/kit';
import { enrolStudents } from '../people/enrol-students.ts';
import { checkStudents, placeOf } from '../people/enrolment.rules.ts';
import { shownEnrolments } from '../people/shown-enrolments.ts';
import { openStaff } from '../people/staff.ts';
import { CLAZZ } from '../record/clazz.table.ts';
import type { Named } from '../record/listed.rules.ts';
import { requireListedPeople } from '../record/require-listed.ts';
import { shownClazz } from '../record/shown-clazz.ts';
import { checkReferences } from './check-references.ts';
import { checkDays } from './clazz.rules.ts';
import { clazzChanged, saveClazz } from './save-clazz.ts';

type Body = Input<typeof clazzCalls.createClazz>['body'];

/** Everybody whom a new class names; asked at once, so all who may not be are named in one answer. */
const namedIn = ({ lead_teacher_id, student_ids }: Body): Named[] => [
  { user_id: lead_teacher_id, role: 'TEACHER', path: '/body/lead_teacher_id' },
  ...(student_ids ?? []).map((user_id, n): Named => ({ user_id, role: 'STUDENT', path: placeOf(n) })),
];

const draftOf = (session: Session, body: Body): Clazz => ({
  ...newRecord(session),
  ...ClazzFields.filled(body, {}),
  assistant_ids: [],
  status: 'draft',
  completed_at: null,
});

/** Creates a class as one would step by step: the draft, who is in it, and its beginning. */
export const createClazz = prepared(clazzCalls.createClazz, {
  prepare: ({ body }, session) => checkReferences(session, body),
  run: async ({ body }, session) => {
    const student_ids = body.student_ids ?? [];
    checkStudents(student_ids);
    const draft = draftOf(session, body);
    checkDays(draft);
    await requireListedPeople(session, namedIn(body));
    session.insert(CLAZZ, draft);
    openStaff(session, draft.id, 'lead', [draft.lead_teacher_id], null);
    clazzChanged(session, 'created', null, draft);
    const wish = { student_ids, waitlist: body.waitlist };
    const enrolments = student_ids.length === 0 ? [] : await enrolStudents(session, draft, wish);
    const created =
      body.activate === true ? saveClazz(session, draft, { ...draft, status: 'active' }, 'activated') : draft;
    const shown = await shownClazz(session, created);
    return enrolments.length === 0
      ? shown
      : { ...shown, enrolments: await shownEnrolments(session, draft, enrolments) };
  },
});

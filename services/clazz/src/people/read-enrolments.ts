import { type Enrolment, notFound } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { ENROLMENT_PERIOD } from '../record/enrolment-period.table.ts';
import { LISTED } from './enrolment.table.ts';

const LIVING = statement(
  `select ${LISTED.columns} from enrolment
   where org_id = $1 and clazz_id = $2 and status in ('waiting', 'active', 'suspended')
     and ($3::text[] is null or student_id = any($3))
   order by seq`,
  LISTED.shape,
);

/** Enrolments that have not ended, in the order of the waiting list; of some students or of all. */
export const livingEnrolments = (
  session: Session,
  clazz_id: string,
  students: readonly string[] | null = null,
): Promise<Enrolment[]> => session.query(LIVING, session.org_id, clazz_id, students);

const OVERLAPPING = statement(
  `select distinct student_id from enrolment_period
   where org_id = $1 and clazz_id = $2 and student_id = any($3::text[]) and during && tstzrange($4, null)`,
  ENROLMENT_PERIOD.some('student_id').shape,
);

/** Students who already belong to the class at or after a moment. */
export const belongingSince = async (
  session: Session,
  clazz_id: string,
  students: readonly string[],
  since: string,
): Promise<string[]> =>
  (await session.query(OVERLAPPING, session.org_id, clazz_id, students, since)).map((row) => row.student_id);

const LAST = statement(
  `select ${LISTED.columns} from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3
   order by status in ('waiting', 'active', 'suspended') desc, seq desc limit 1`,
  LISTED.shape,
);

/** The living enrolment of a student in a class, else the last one; 404 when there never was one. */
export const requireEnrolment = async (session: Session, clazz_id: string, student_id: string): Promise<Enrolment> => {
  const found = await session.one(LAST, session.org_id, clazz_id, student_id);
  if (found === undefined) throw notFound('Enrolment');
  return found;
};

import type { Clazz, Enrolment, ShownEnrolment } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { withStudentNames } from '../record/with-student-names.ts';

/** Enrolments in a class that is at hand, as they are answered: the names of all by one statement. */
export const shownEnrolments = (
  session: Session,
  { name: clazz_name }: Pick<Clazz, 'name'>,
  rows: readonly Enrolment[],
): Promise<ShownEnrolment[]> =>
  withStudentNames(
    session,
    rows.map((row) => ({ ...row, clazz_name })),
  );

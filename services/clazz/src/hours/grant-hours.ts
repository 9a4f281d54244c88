import { fromHundredths, hourCalls, HourLot, packageCalls, picking, Problem, unknownIds } from '@teaching/contracts';
import { prepared, type Session } from '@teaching/kit';
import { isCourseMissing } from '../reference/check-course.ts';
import { type Bought, lotOf } from './grant.rules.ts';
import { AMOUNTS, asDecimals } from './hundredths.rules.ts';
import { openBook } from './open-books.ts';
import { saveBooks } from './save-books.ts';

/** The package version as published. It is kept with the lot, so nothing that happens to it later matters. */
const checkPackage = async (
  session: Session,
  package_id: string | null | undefined,
  version: number | null | undefined,
): Promise<Bought | null> => {
  if (package_id == null) return null;
  const wanted = { package_id, ...(version == null ? {} : { version }) };
  try {
    return await session.references.ask([package_id], () => session.neighbours.call(packageCalls.checkVersion, wanted));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    const path = version == null ? '/body/package_id' : '/body/package_version';
    throw unknownIds([{ path, message: 'is not a published version' }]);
  }
};

const checkCourse = async (session: Session, course_id: string | null | undefined): Promise<void> => {
  if (course_id != null && (await isCourseMissing(session, course_id)))
    throw unknownIds([{ path: '/body/course_id', message: 'does not exist' }]);
};

const shown = picking(HourLot);

/** Gives a student hours as one lot; what the student owes is settled from it at once. */
export const grantHours = prepared(hourCalls.grant, {
  prepare: async ({ body }, session) => {
    const [bought] = await Promise.all([
      checkPackage(session, body.package_id, body.package_version),
      checkCourse(session, body.course_id),
    ]);
    return bought;
  },
  run: async ({ body }, session, bought) => {
    const { student_id } = body;
    const { books, book } = await openBook(session, student_id);
    const cause = { actor_id: session.caller.user_id, reason: null, policy_version: null };
    const lot = book.putIn(lotOf(body, bought, session.now), 'grant', cause);
    book.settle();
    saveBooks(session, books);
    return { ...shown(asDecimals(AMOUNTS.lot, lot)), student_id, balance: fromHundredths(book.balance) };
  },
});

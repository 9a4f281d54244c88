import { courseReferenceCalls, unknownIds } from '@teaching/contracts';
import { notNull, p, type Session, statement } from '@teaching/kit';

/** The courses among `ids` that do not exist, checked by one call. The ids are going to be stored. */
export const missingCourses = (session: Session, ids: readonly string[]): Promise<Set<string>> =>
  session.references.findMissing(ids, async (course_ids) => {
    const request = { category_ids: [], course_ids, sections: [] };
    const answer = await session.peers.call(courseReferenceCalls.checkReferences, request);
    return { ...answer, missing: answer.course_ids };
  });

/** Whether the course does not exist. */
export const isCourseMissing = async (session: Session, id: string): Promise<boolean> =>
  (await missingCourses(session, [id])).size > 0;

const MISSING = statement(
  `select (w.n - 1)::int as index from unnest($2::uuid[]) with ordinality as w (id, n)
   where (select true from clazz c where c.org_id = $1 and c.id = w.id) is null order by w.n`,
  { index: notNull(p.integer()) },
);

/** 404 naming each class of the list that does not exist. It reads before the transaction begins. */
export const requireClazzes = async (
  session: Session,
  clazz_ids: readonly string[] | null | undefined,
): Promise<void> => {
  if (clazz_ids == null) return;
  const missing = await session.peek(MISSING, session.org_id, clazz_ids);
  if (missing.length === 0) return;
  throw unknownIds(missing.map(({ index }) => ({ path: `/body/clazz_ids/${index}`, message: 'does not exist' })));
};

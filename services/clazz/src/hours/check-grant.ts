import { type FieldProblem, type hourCalls, type Input, packageCalls, Problem, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { isCourseMissing } from '../reference/check-course.ts';
import type { Bought } from './grant.rules.ts';

type Body = Input<typeof hourCalls.grant>['body'];

/** A version as it was published, by default the newest; nothing if there is none. */
const versionOf = async (session: Session, package_id: string, version?: number): Promise<Bought | null> => {
  const wanted = { package_id, ...(version === undefined ? {} : { version }) };
  try {
    return await session.references.ask([package_id], () => session.neighbours.call(packageCalls.checkVersion, wanted));
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
};

/** The package version as published. It is kept with the lot, so nothing that happens to it later matters. */
const checkPackage = async (
  session: Session,
  { package_id, package_version }: Body,
): Promise<Bought | FieldProblem[]> => {
  if (package_id == null) return [];
  const bought = await versionOf(session, package_id, package_version ?? undefined);
  if (bought !== null) return bought;
  // Of a package that was published, it is the version that is wrong.
  const isPublished = package_version != null && (await versionOf(session, package_id)) !== null;
  return [{ path: `/body/${isPublished ? 'package_version' : 'package_id'}`, message: 'is not a published version' }];
};

const checkCourse = async (session: Session, { course_id }: Body): Promise<FieldProblem[]> =>
  course_id != null && (await isCourseMissing(session, course_id))
    ? [{ path: '/body/course_id', message: 'does not exist' }]
    : [];

/** What was bought, if a package was. All ids that do not exist are named at once. */
export const checkGrant = async (session: Session, body: Body): Promise<Bought | null> => {
  const [bought, courses] = await Promise.all([checkPackage(session, body), checkCourse(session, body)]);
  const unknown = [...(Array.isArray(bought) ? bought : []), ...courses];
  if (unknown.length > 0) throw unknownIds(unknown);
  return Array.isArray(bought) ? null : bought;
};

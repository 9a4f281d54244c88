import { type BoughtVersion, type FieldProblem, type GrantBody, packageCalls, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { missingCourses } from '../reference/check-course.ts';

/** One of some grants, and where it stands in the request. */
export interface Asked {
  body: GrantBody;
  /** JSON pointer of the grant. */
  at: string;
}

const keyOf = ({ package_id, package_version }: GrantBody): string => `${package_id} ${package_version ?? ''}`;

/** The versions as published, by what was asked for: one question for all of them. */
const versionsOf = async (session: Session, bodies: readonly GrantBody[]) => {
  const asked = [...new Map(bodies.flatMap((body) => (body.package_id == null ? [] : [[keyOf(body), body]]))).values()];
  const wanted = asked.map(({ package_id, package_version }) => ({
    package_id: package_id ?? '',
    ...(package_version == null ? {} : { version: package_version }),
  }));
  if (wanted.length === 0) return { found: new Map<string, BoughtVersion>(), published: new Set<string>() };
  const said = await session.references.ask(
    wanted.map((it) => it.package_id),
    () => session.neighbours.call(packageCalls.checkVersions, { wanted }),
  );
  const found = new Map(said.items.map((it) => [keyOf(asked[it.wanted] as GrantBody), it]));
  return { found, published: new Set(said.published) };
};

/**
 * What was bought by each grant, if a package was. It is kept with the lot, so nothing that happens to the package later
 * matters. All ids that do not exist are named at once; of a package that was published, it is the version that is wrong.
 */
export const checkGrants = async (session: Session, grants: readonly Asked[]): Promise<(BoughtVersion | null)[]> => {
  const bodies = grants.map(({ body }) => body);
  const courses = [...new Set(bodies.flatMap(({ course_id }) => course_id ?? []))];
  const [versions, missing] = await Promise.all([versionsOf(session, bodies), missingCourses(session, courses)]);
  const unknown = grants.flatMap(({ body, at }): FieldProblem[] => {
    const { package_id, course_id } = body;
    const isBought = package_id == null || versions.found.has(keyOf(body));
    const wrong = versions.published.has(package_id ?? '') ? 'package_version' : 'package_id';
    return [
      ...(isBought ? [] : [{ path: `${at}/${wrong}`, message: 'is not a published version' }]),
      ...(missing.has(course_id ?? '') ? [{ path: `${at}/course_id`, message: 'does not exist' }] : []),
    ];
  });
  if (unknown.length > 0) throw unknownIds(unknown);
  return bodies.map((body) => versions.found.get(keyOf(body)) ?? null);
};

import {
  type BoughtVersion,
  type FieldProblem,
  fromHundredths,
  type GrantBody,
  hourCalls,
  HourLot,
  packageCalls,
  fieldPicker,
  Problem,
  unknownIds,
} from '@teaching/contracts';
import { twoStepHandler, type Session } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { namesOf } from '../record/member-names.ts';
import type { NamedMember } from '../record/named-members.rules.ts';
import { requireListedPeople } from '../record/require-listed-people.ts';
import { missingCourses } from '../reference/missing-references.ts';
import { AMOUNTS, amountsToDecimals } from './amounts.rules.ts';
import { ledgerOf, openLedgers, saveLedgers } from './ledger.ts';
import { type PurchasedPackage, newLot, grantProblems } from './grant.rules.ts';
import { createReceipts } from './receipts.ts';

/** One grant of a request. */
interface GrantRequest {
  body: GrantBody;
  /** JSON Pointer of the grant in the request. */
  at: string;
}

const keyOf = ({ package_id, package_version }: GrantBody): string => `${package_id} ${package_version ?? ''}`;

/** The published versions of the granted packages, by package and version. One call checks all of them. */
const versionsOf = async (session: Session, bodies: readonly GrantBody[]) => {
  const packages = [
    ...new Map(bodies.flatMap((body) => (body.package_id == null ? [] : [[keyOf(body), body]]))).values(),
  ];
  const wanted = packages.map(({ package_id, package_version }) => ({
    package_id: package_id ?? '',
    ...(package_version == null ? {} : { version: package_version }),
  }));
  if (wanted.length === 0) return { found: new Map<string, BoughtVersion>(), published: new Set<string>() };
  const answer = await session.references.checkWithOwner(
    wanted.map((it) => it.package_id),
    () => session.peers.call(packageCalls.checkVersions, { wanted }),
  );
  const found = new Map(answer.items.map((it) => [keyOf(packages[it.wanted] as GrantBody), it]));
  return { found, published: new Set(answer.published) };
};

/**
 * The package version of each grant, or null without a package. It is stored with the lot, so later changes of the
 * package do not affect it.
 * 404 naming all ids that do not exist. For a package that was published, the path is that of the version.
 */
const checkGrants = async (session: Session, grants: readonly GrantRequest[]): Promise<(BoughtVersion | null)[]> => {
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

const shown = fieldPicker(HourLot);

/** Grants hours, each grant as one lot, and settles debts from them. All grants are stored, or none. */
const grantAll = async (
  session: Session,
  grants: readonly GrantRequest[],
  bought: readonly (PurchasedPackage | null)[],
) => {
  const { now } = session;
  const policy = await policyInForce(session, session.org_id);
  const all = grants.map(({ body, at }, index) => ({ body, at, bought: bought[index] ?? null }));
  const errors = all.flatMap((it) => grantProblems(it.body, it.bought, policy, { now, at: it.at }));
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  const named = all.map(({ body, at }): NamedMember => ({
    user_id: body.student_id,
    role: 'STUDENT',
    path: `${at}/student_id`,
  }));
  await requireListedPeople(session, named);
  const students = named.map(({ user_id }) => user_id);
  const [ledgers, nameOf] = await Promise.all([
    openLedgers(session, students, policy),
    namesOf(session, session.org_id, students),
  ]);
  const cause = { actor_id: session.actor_id, reason: null, policy_version: null };
  const lots = all.map((it) => {
    const ledger = ledgerOf(ledgers, it.body.student_id);
    return { ledger, lot: ledger.addLot(newLot(it.body, it.bought, policy, now), 'grant', cause) };
  });
  for (const ledger of ledgers.values()) ledger.settleDebts();
  saveLedgers(session, ledgers);
  createReceipts(session, ledgers, policy);
  return lots.map(({ ledger, lot }) => ({
    ...shown(amountsToDecimals(AMOUNTS.lot, lot)),
    student_id: ledger.student_id,
    student_name: nameOf(ledger.student_id),
    balance: fromHundredths(ledger.balance),
  }));
};

type OneBody = GrantRequest['body'];
const singleGrant = (body: OneBody): GrantRequest[] => [{ body, at: '/body' }];

/** Grants hours to a student as one lot. */
export const grantHours = twoStepHandler(hourCalls.grantHours, {
  prepare: ({ body }, session) => checkGrants(session, singleGrant(body)),
  run: async ({ body }, session, bought) => {
    const [granted] = await grantAll(session, singleGrant(body), bought);
    if (granted === undefined) throw new Error('the grant created no lot');
    return granted;
  },
});

const bulkGrants = (bodies: readonly OneBody[]): GrantRequest[] =>
  bodies.map((body, index) => ({ body, at: `/body/grants/${index}` }));

/** The same for many students. */
export const grantHoursInBulk = twoStepHandler(hourCalls.grantHoursInBulk, {
  prepare: ({ body }, session) => checkGrants(session, bulkGrants(body.grants)),
  run: async ({ body }, session, bought) => ({ items: await grantAll(session, bulkGrants(body.grants), bought) }),
});

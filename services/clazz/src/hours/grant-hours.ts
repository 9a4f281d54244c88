import { fromHundredths, hourCalls, HourLot, picking, Problem } from '@teaching/contracts';
import { prepared, type Session } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import type { Named } from '../record/listed.rules.ts';
import { requireListedPeople } from '../record/require-listed.ts';
import { type Asked, checkGrants } from './check-grants.ts';
import { giveReceipts } from './give-receipts.ts';
import { type Bought, lotOf, problemsOf } from './grant.rules.ts';
import { AMOUNTS, asDecimals } from './hundredths.rules.ts';
import { bookOf, openBooks } from './open-books.ts';
import { saveBooks } from './save-books.ts';
import { namesOf } from '../record/names-of.ts';

const shown = picking(HourLot);

/** Gives hours, each grant as one lot; what a student owes is settled from them at once. All or nothing. */
const grantAll = async (session: Session, grants: readonly Asked[], bought: readonly (Bought | null)[]) => {
  const { now } = session;
  const policy = await policyInForce(session, session.org_id);
  const all = grants.map(({ body, at }, index) => ({ body, at, bought: bought[index] ?? null }));
  const errors = all.flatMap((it) => problemsOf(it.body, it.bought, policy, { now, at: it.at }));
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  const named = all.map(({ body, at }): Named => ({
    user_id: body.student_id,
    role: 'STUDENT',
    path: `${at}/student_id`,
  }));
  await requireListedPeople(session, named);
  const students = named.map(({ user_id }) => user_id);
  const [books, nameOf] = await Promise.all([
    openBooks(session, students, policy),
    namesOf(session, session.org_id, students),
  ]);
  const cause = { actor_id: session.actor_id, reason: null, policy_version: null };
  const lots = all.map((it) => {
    const book = bookOf(books, it.body.student_id);
    return { book, lot: book.putIn(lotOf(it.body, it.bought, policy, now), 'grant', cause) };
  });
  for (const book of books.values()) book.settle();
  saveBooks(session, books);
  giveReceipts(session, books, policy);
  return lots.map(({ book, lot }) => ({
    ...shown(asDecimals(AMOUNTS.lot, lot)),
    student_id: book.student_id,
    student_name: nameOf(book.student_id),
    balance: fromHundredths(book.balance),
  }));
};

type OneBody = Asked['body'];
const one = (body: OneBody): Asked[] => [{ body, at: '/body' }];

/** Gives a student hours as one lot. */
export const grantHours = prepared(hourCalls.grantHours, {
  prepare: ({ body }, session) => checkGrants(session, one(body)),
  run: async ({ body }, session, bought) => {
    const [granted] = await grantAll(session, one(body), bought);
    if (granted === undefined) throw new Error('a grant made no lot');
    return granted;
  },
});

const each = (bodies: readonly OneBody[]): Asked[] =>
  bodies.map((body, index) => ({ body, at: `/body/grants/${index}` }));

/** The same for many students. */
export const grantHoursInBulk = prepared(hourCalls.grantHoursInBulk, {
  prepare: ({ body }, session) => checkGrants(session, each(body.grants)),
  run: async ({ body }, session, bought) => ({ items: await grantAll(session, each(body.grants), bought) }),
});

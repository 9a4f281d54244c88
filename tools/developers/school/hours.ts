import { addDays } from '../../../libs/kit/src/base/time.ts';
import { grantsOf, type PlannedGrant, standingOf, usedHours } from './hours.rules.ts';
import { allOf, type SchoolContext } from './school-context.ts';
import type { Packages } from './packages.ts';
import { students } from './people.ts';
import { GOODWILL, PAUSES, TRANSFER } from './special-students.ts';
import { plannedLessons } from './term.rules.ts';
import type { Frame } from './timetable.ts';

/** Students with few hours buy another package; students in permanent debt buy later. */
const RENEW_BELOW = 2;
const RENEW_LATE_BELOW = -8;

/** Students of the classes that are made, with their place among all. */
const enrolledOf = ({ clazzes }: SchoolContext) =>
  students.flatMap(({ user_id }, place) => {
    const first = clazzes.find((clazz) => clazz.students.includes(user_id));
    return first === undefined ? [] : [{ user_id, place, first }];
  });

const bodyOf = (
  student_id: string,
  { hours, kind, expires_in_days }: PlannedGrant,
  now: Date,
  package_id?: string,
) => ({
  student_id,
  hours,
  kind,
  ...(kind === 'gift' ? {} : { package_id }),
  ...(expires_in_days === undefined
    ? {}
    : { expires_at: `${addDays(now.toISOString().slice(0, 10), expires_in_days)}T22:00:00Z` }),
});

/** Grants hours to students without any: bought, and sometimes a gift. */
export const makeHours = async (making: SchoolContext, frame: Frame, packages: Packages): Promise<void> => {
  const { office, now, clazzes } = making;
  const given = await allOf((cursor) => office.listHourEntries({ query: { kind: 'grant', limit: '100', cursor } }));
  const lessons = plannedLessons(clazzes, frame.term, frame.closed);
  const grants = enrolledOf(making)
    .filter(({ user_id }) => !given.some((entry) => entry.student_id === user_id))
    .flatMap(({ user_id, place, first }) =>
      grantsOf(user_id, standingOf(place), usedHours(user_id, lessons, frame.today)).map((grant) =>
        bodyOf(user_id, grant, now, packages.get(first.package)),
      ),
    );
  if (grants.length > 0) await office.grantHoursInBulk({ body: { grants } });
};

/** Students who ran out since the last run buy again. */
export const renewHours = async (making: SchoolContext, packages: Packages): Promise<void> => {
  const { office } = making;
  const enrolled = enrolledOf(making);
  const low = await allOf((cursor) =>
    office.listHourAccounts({ query: { balance_below: String(RENEW_BELOW), limit: '100', cursor } }),
  );
  const grants = low.flatMap(({ student_id, balance }) => {
    const student = enrolled.find(({ user_id }) => user_id === student_id);
    if (student === undefined || student_id === PAUSES[1].student_id) return [];
    const isLate = standingOf(student.place) !== 'enough';
    if (isLate && Number(balance) >= RENEW_LATE_BELOW) return [];
    return [{ student_id, hours: '20.00', package_id: packages.get(student.first.package) }];
  });
  if (grants.length > 0) await office.grantHoursInBulk({ body: { grants } });
};

/** Enrolments that end or rest, a refund, a transfer and a correction by hand. */
export const makeExceptions = async (
  { office, clazzes }: SchoolContext,
  ids: ReadonlyMap<string, string>,
): Promise<void> => {
  const done = await allOf((cursor) =>
    office.listHourEntries({ query: { kind: 'refund,transfer_out,adjust', limit: '100', cursor } }),
  );
  const has = (kind: string, student_id: string): boolean =>
    done.some((entry) => entry.kind === kind && entry.student_id === student_id);
  for (const { key, student_id, how, reason } of PAUSES) {
    const id = ids.get(key);
    if (id === undefined) continue;
    const enrolled = await allOf((cursor) => office.listEnrolments({ path: { id }, query: { limit: '100', cursor } }));
    if (!enrolled.some((it) => it.student_id === student_id && it.status === 'active')) continue;
    await office[how]({ path: { id, student_id }, body: { reason } });
  }
  const isHere = (student_id: string): boolean => clazzes.some((clazz) => clazz.students.includes(student_id));
  const { student_id } = PAUSES[1];
  if (isHere(student_id) && !has('refund', student_id)) {
    const quote = (await office.quoteRefund({ body: { student_id } })).data;
    if (quote.lots.length > 0) await office.refundHours({ body: { quote_id: quote.quote_id } });
  }
  const { from, to, ...transfer } = TRANSFER;
  if (isHere(from) && isHere(to) && !has('transfer_out', from))
    await office.transferHours({ body: { from_student_id: from, to_student_id: to, ...transfer } });
  if (isHere(GOODWILL.student_id) && !has('adjust', GOODWILL.student_id)) await office.adjustHours({ body: GOODWILL });
};

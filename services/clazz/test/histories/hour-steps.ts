import { hourCalls } from '@teaching/contracts';
import { DAY_MS } from '@teaching/kit';
import fc from 'fast-check';
import { adjust, grant, refund, transferHours, undoGrant } from '../model/hours.ts';
import { elementAt } from '../model/state.ts';
import { toDecimal, toInstant, expectEqual, STUDENT_COUNT } from './history-school.ts';
import { choice, inBothSystems, pickIndex, stepCommand, unrestricted } from './history-step.ts';

const student = fc.nat(STUDENT_COUNT - 1);
const hundredths = fc.integer({ min: 1, max: 400 });

export const grants = fc
  .record({
    student,
    hours: hundredths,
    kind: fc.constantFrom('paid', 'gift'),
    course: fc.constantFrom(null, null, 0, 1),
    days: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 3 }),
    price: fc.nat(5_000),
  })
  .map(({ student: index, hours, kind, course, days, price }) =>
    stepCommand(`grant ${index} ${hours} ${kind} for course ${course} and ${days} days at ${price}`, (m, real) => {
      const expires = days === null ? null : m.now + days * DAY_MS;
      return inBothSystems(
        m,
        (draft) => grant(draft, index, { kind, course, granted: hours, expires, price }),
        () =>
          real.school.supervisor.post('/clazz/hour/grant', {
            student_id: real.students[index],
            hours: toDecimal(hours),
            kind,
            course_id: course === null ? null : real.courses[course],
            price_minor: price,
            currency: 'EUR',
            expires_at: expires === null ? null : toInstant(expires),
          }),
        201,
      );
    }),
  );

export const hourTransfers = fc
  .record({ from: student, by: fc.integer({ min: 1, max: STUDENT_COUNT - 1 }), hours: hundredths })
  .map(({ from, by, hours }) => {
    const to = (from + by) % STUDENT_COUNT;
    return stepCommand(`move ${hours} hours from ${from} to ${to}`, (m, real) =>
      inBothSystems(
        m,
        (draft) => transferHours(draft, from, to, hours),
        () =>
          real.school.supervisor.post('/clazz/hour/transfer', {
            from_student_id: real.students[from],
            to_student_id: real.students[to],
            hours: toDecimal(hours),
            reason: 'siblings',
          }),
      ),
    );
  });

export const adjustments = fc
  .record({ student, hours: hundredths, minus: fc.boolean() })
  .map(({ student: index, hours, minus }) => {
    const amount = minus ? -hours : hours;
    return stepCommand(`adjust ${index} by ${amount}`, (m, real) =>
      inBothSystems(
        m,
        (draft) => adjust(draft, index, amount),
        () =>
          real.school.supervisor.post('/clazz/hour/adjust', {
            student_id: real.students[index],
            hours: toDecimal(amount),
            reason: 'a test',
          }),
      ),
    );
  });

export const refunds = student.map((index) =>
  stepCommand(`refund ${index}`, async (m, real) => {
    const ofStudent = { body: { student_id: elementAt(real.students, index) } };
    const { quote_id } = await real.school.supervisor.ok(hourCalls.quoteRefund, ofStudent);
    const done = await inBothSystems(
      m,
      (draft) => refund(draft, index),
      () => real.school.supervisor.post('/clazz/hour/refund', { quote_id }),
    );
    expectEqual(done?.body.amount_minor, done?.expected);
  }),
);

/** Undoes the grant of a lot, mostly of one with all its hours. */
export const grantUndos = fc
  .record({ student, which: choice, isAny: unrestricted })
  .map(({ student: index, which, isAny }) =>
    stepCommand(`undo grant ${which} of ${index}`, async (m, real) => {
      const { lots } = elementAt(m.students, index);
      const lot = pickIndex(lots, which, isAny, (it) => it.isGranted && it.remaining === it.granted);
      if (lot === undefined) return;
      const { lots: ids } = await real.school.account(elementAt(real.students, index));
      await inBothSystems(
        m,
        (draft) => undoGrant(draft, index, lot),
        () => real.school.supervisor.post(`/clazz/hour/grant/${elementAt(ids, lot).id}/undo`, { reason: 'a test' }),
      );
    }),
  );

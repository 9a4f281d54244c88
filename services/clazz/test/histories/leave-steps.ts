import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { singleElement } from '../../../../tools/proofs/test/single-element.ts';
import { requestLeave, book, decideLeave, type Decision, undoBooking } from '../model/leave.ts';
import { isLiving, isListed, isMember, leaveAt } from '../model/membership-queries.ts';
import { at, type Leave } from '../model/state.ts';
import { apiOf, instant, STUDENTS, reasonOf } from './history-school.ts';
import { turnings } from './roll-call-steps.ts';
import { inBothSystems, stepCommand, n, oneOf, who, wild } from './history-step.ts';

export const requests = fc
  .record({
    which: n,
    isAny: wild,
    caller: who,
    student: fc.nat(STUDENTS - 1),
    called: fc.constantFrom(null, null, 20, 60),
    override: wild,
  })
  .map(({ which, isAny, caller, student, called: hours, override }) => {
    const how = `${hours === null ? '' : `, called ${hours} hours ago`}${override ? ', override' : ''}`;
    return stepCommand(
      `leave of ${student} from ${which} by ${caller.role}${isAny ? ' of any' : ''}${how}`,
      async (m, real) => {
        const lesson = oneOf(m.lessons, which, isAny, (it, index) => {
          return it.status !== 'cancelled' && isMember(m, index, student) && leaveAt(m, index, student) === undefined;
        });
        if (lesson === undefined) return;
        const called = hours === null ? null : m.now - hours * HOUR_MS;
        const done = await inBothSystems(
          m,
          (draft) => requestLeave(draft, lesson, student, caller, { called, override }),
          () =>
            apiOf(real, caller).post('/clazz/leave', {
              student_id: real.students[student],
              lesson_id: real.lessons[lesson],
              reason: 'ill',
              called_at: called === null ? null : instant(called),
              override_reason: override ? 'a test' : null,
            }),
          201,
        );
        if (done !== undefined) real.leaves.push(singleElement(done.body.items).id);
      },
    );
  });

const decision = (action: Decision, fits: (it: Leave) => boolean) =>
  fc.record({ which: n, isAny: wild, caller: who }).map(({ which, isAny, caller }) =>
    stepCommand(`${action} leave ${which} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
      const index = oneOf(m.leaves, which, isAny, fits);
      if (index === undefined) return;
      await inBothSystems(
        m,
        (draft) => decideLeave(draft, index, action, caller),
        () => apiOf(real, caller).post(`/clazz/leave/${at(real.leaves, index)}/${action}`, reasonOf(caller)),
      );
    }),
  );

export const approvals = decision('approve', ({ status }) => status === 'pending');
export const rejections = decision('reject', ({ status }) => status === 'pending');
export const withdrawals = decision('cancel', isLiving);

/** Books a make-up, mostly with an available credit for a future lesson of another class. */
export const bookings = fc
  .record({ which: n, isAny: wild, caller: who, target: n, isAnyTarget: wild })
  .map(({ which, isAny, caller, target, isAnyTarget }) =>
    stepCommand(`make-up ${which} at ${target} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
      const index = oneOf(m.leaves, which, isAny, ({ credit }) => {
        return credit?.status === 'available' && credit.expires > m.now;
      });
      if (index === undefined) return;
      const { lesson: missed_at, student } = at(m.leaves, index);
      const missed = at(m.lessons, missed_at);
      const lesson = oneOf(m.lessons, target, isAnyTarget, ({ starts, status, clazz }, index) => {
        return starts > m.now && status === 'scheduled' && clazz !== missed.clazz && !isListed(m, index, student);
      });
      if (lesson === undefined) return;
      await inBothSystems(
        m,
        (draft) => book(draft, index, lesson),
        () =>
          apiOf(real, caller).post(`/clazz/leave/${at(real.leaves, index)}/make-up`, {
            lesson_id: real.lessons[lesson],
          }),
      );
    }),
  );

/** Requests, approves and makes up a leave in one step. Three random steps seldom concern the same leave. */
export const madeUps = fc.tuple(requests, approvals, bookings).map((steps) =>
  stepCommand(`request, approve and make up: ${steps.join(', ')}`, async (m, real) => {
    for (const step of steps) await step.run(m, real);
  }),
);

/** Books a make-up, then marks the student of a leave present and on leave again. */
export const bookedAndTurned = fc.tuple(bookings, turnings).map((steps) =>
  stepCommand(`book and mark again: ${steps.join(', ')}`, async (m, real) => {
    for (const step of steps) await step.run(m, real);
  }),
);

export const undoings = fc.record({ which: n, isAny: wild, caller: who }).map(({ which, isAny, caller }) =>
  stepCommand(`undo make-up ${which} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
    const index = oneOf(m.leaves, which, isAny, ({ credit }) => credit?.status === 'used');
    if (index === undefined) return;
    await inBothSystems(
      m,
      (draft) => undoBooking(draft, index),
      () => apiOf(real, caller).delete(`/clazz/leave/${at(real.leaves, index)}/make-up`),
    );
  }),
);

import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { singleElement } from '../../../../tools/proofs/test/single-element.ts';
import { requestLeave, bookMakeUp, decideLeave, type Decision, reopenLeave, undoBooking } from '../model/leave.ts';
import { hasSeat, isOpenLeave, isMember, leaveAt } from '../model/membership-queries.ts';
import { elementAt, type Leave } from '../model/state.ts';
import { apiOf, toInstant, STUDENT_COUNT, reasonOf } from './history-school.ts';
import { earlyRollCalls, markReversals } from './roll-call-steps.ts';
import { actingAs, inBothSystems, stepCommand, choice, pickIndex, callers, unrestricted } from './history-step.ts';

export const requests = fc
  .record({
    which: choice,
    isAny: unrestricted,
    caller: callers,
    student: fc.nat(STUDENT_COUNT - 1),
    called: fc.constantFrom(null, null, 20, 60),
    override: unrestricted,
  })
  .map(({ which, isAny, caller, student, called: hours, override }) => {
    const how = `${hours === null ? '' : `, called ${hours} hours ago`}${override ? ', override' : ''}`;
    return stepCommand(
      `leave of ${student} from ${which} by ${caller.role}${isAny ? ' of any' : ''}${how}`,
      async (m, real) => {
        const lesson = pickIndex(m.lessons, which, isAny, (it, index) => {
          return it.status !== 'cancelled' && isMember(m, index, student) && leaveAt(m, index, student) === undefined;
        });
        if (lesson === undefined) return;
        const called = hours === null ? null : m.now - hours * HOUR_MS;
        const done = await inBothSystems(
          m,
          (draft) => requestLeave(actingAs(draft, caller), lesson, student, caller, { called, override }),
          () =>
            apiOf(real, caller).post('/clazz/leave', {
              student_id: real.students[student],
              lesson_id: real.lessons[lesson],
              reason: 'ill',
              called_at: called === null ? null : toInstant(called),
              override_reason: override ? 'a test' : null,
            }),
          201,
        );
        if (done !== undefined) real.leaves.push(singleElement(done.body.items).id);
      },
    );
  });

const decision = (action: Decision, fits: (it: Leave) => boolean) =>
  fc.record({ which: choice, isAny: unrestricted, caller: callers }).map(({ which, isAny, caller }) =>
    stepCommand(`${action} leave ${which} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
      const index = pickIndex(m.leaves, which, isAny, fits);
      if (index === undefined) return;
      await inBothSystems(
        m,
        (draft) => decideLeave(actingAs(draft, caller), index, action, caller),
        () => apiOf(real, caller).post(`/clazz/leave/${elementAt(real.leaves, index)}/${action}`, reasonOf(caller)),
      );
    }),
  );

export const approvals = decision('approve', ({ status }) => status === 'pending');
export const rejections = decision('reject', ({ status }) => status === 'pending');
export const leaveCancellations = decision('cancel', isOpenLeave);

/** Reopens a decided leave, mostly of a lesson that has not begun, if possible of one with an early roll call. */
export const leaveReopenings = fc
  .record({ which: choice, isAny: unrestricted, caller: callers })
  .map(({ which, isAny, caller }) =>
    stepCommand(`reopen leave ${which} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
      const fits = ({ status, lesson }: Leave): boolean =>
        (status === 'approved' || status === 'rejected') && elementAt(m.lessons, lesson).starts > m.now;
      const isMarked = (it: Leave): boolean => fits(it) && elementAt(m.lessons, it.lesson).status === 'held';
      const index = pickIndex(m.leaves, which, isAny, isMarked) ?? pickIndex(m.leaves, which, isAny, fits);
      if (index === undefined) return;
      await inBothSystems(
        m,
        (draft) => reopenLeave(actingAs(draft, caller), index),
        () => apiOf(real, caller).post(`/clazz/leave/${elementAt(real.leaves, index)}/reopen`, reasonOf(caller)),
      );
    }),
  );

/**
 * Books a make-up, mostly with an available credit for a future lesson in which the student has no place. Lessons of own
 * classes are refused; some of the targets are such lessons.
 */
export const bookings = fc
  .record({ which: choice, isAny: unrestricted, caller: callers, target: choice, isAnyTarget: unrestricted })
  .map(({ which, isAny, caller, target, isAnyTarget }) =>
    stepCommand(`make-up ${which} at ${target} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
      const index = pickIndex(m.leaves, which, isAny, ({ credit }) => {
        return credit?.status === 'available' && credit.expires > m.now;
      });
      if (index === undefined) return;
      const { student } = elementAt(m.leaves, index);
      const lesson = pickIndex(m.lessons, target, isAnyTarget, ({ starts, status }, at) => {
        return starts > m.now && status === 'scheduled' && !hasSeat(m, at, student);
      });
      if (lesson === undefined) return;
      await inBothSystems(
        m,
        (draft) => bookMakeUp(draft, index, lesson),
        () =>
          apiOf(real, caller).post(`/clazz/leave/${elementAt(real.leaves, index)}/make-up`, {
            lesson_id: real.lessons[lesson],
          }),
      );
    }),
  );

/** Requests, approves and makes up a leave in one step. Three random steps seldom concern the same leave. */
export const requestedAndMadeUp = fc.tuple(requests, approvals, bookings).map((steps) =>
  stepCommand(`request, approve and make up: ${steps.join(', ')}`, async (m, real) => {
    for (const step of steps) await step.run(m, real);
  }),
);

/** Requests leave, decides about it and reopens the decision, also after an early roll call. */
export const decidedAndReopened = fc
  .tuple(requests, fc.oneof(approvals, rejections), fc.option(earlyRollCalls, { freq: 1 }), leaveReopenings, approvals)
  .map((steps) =>
    stepCommand(`decide and reopen: ${steps.join(', ')}`, async (m, real) => {
      for (const step of steps) await step?.run(m, real);
    }),
  );

/** Books a make-up, then marks the student of a leave present and on leave again. */
export const bookedAndMarkedAgain = fc.tuple(bookings, markReversals).map((steps) =>
  stepCommand(`book and mark again: ${steps.join(', ')}`, async (m, real) => {
    for (const step of steps) await step.run(m, real);
  }),
);

export const makeUpUndos = fc
  .record({ which: choice, isAny: unrestricted, caller: callers })
  .map(({ which, isAny, caller }) =>
    stepCommand(`undo make-up ${which} by ${caller.role}${isAny ? ' of any' : ''}`, async (m, real) => {
      const index = pickIndex(m.leaves, which, isAny, ({ credit }) => credit?.status === 'used');
      if (index === undefined) return;
      await inBothSystems(
        m,
        (draft) => undoBooking(draft, index),
        () => apiOf(real, caller).delete(`/clazz/leave/${elementAt(real.leaves, index)}/make-up`),
      );
    }),
  );

import { closureCalls, type Input } from '@teaching/contracts';
import { twoStepHandler } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { spelledRoom } from '../record/check-rooms.ts';
import { requireClazzes } from '../reference/missing-references.ts';
import { closeLessons, findScheduledLessons, closurePreview } from './close-lessons.ts';
import type { ClosureSelection } from './closure.rules.ts';

const closingOf = ({
  from,
  to,
  reason,
  ...body
}: Input<typeof closureCalls.createClosure>['body']): ClosureSelection => ({
  spans: [{ from, to, reason }],
  clazz_ids: body.clazz_ids ?? null,
  teacher_id: body.teacher_id ?? null,
  room: body.room ?? null,
  reason_public: body.reason_public ?? false,
  reason,
});

/** Cancels the scheduled lessons of a range, one class after the other, or previews them. */
export const createClosure = twoStepHandler(closureCalls.createClosure, {
  prepare: async ({ body }, session) => {
    const reader = { query: session.peek.bind(session), org_id: session.org_id };
    const closing = closingOf({ ...body, room: await spelledRoom(reader, body.room) });
    await requireClazzes(session, closing.clazz_ids);
    const found = await findScheduledLessons(session, closing);
    return body.preview === true ? closurePreview(found) : closeLessons(session, closing, found);
  },
  run: async ({ body }, session, done) => {
    const shown = done.items.map((row) => row.clazz_id);
    if (body.preview === true) auditRead(session, 'lesson', shown);
    return done;
  },
});

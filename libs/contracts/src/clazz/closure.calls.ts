import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { ID, InstantInput, optional, PersonIdInput, text } from '../scalars.ts';
import { nonEmptyRange } from '../rules.ts';
import { cancellationFields, Reason } from './clazz.calls.ts';
import { ShownLesson } from './clazz.schema.ts';

/** The result of a closure. */
export const Closed = z.object({
  items: z.array(ShownLesson).meta({ description: 'Lessons that this call cancelled, by start' }),
  failed: z
    .array(
      z.object({
        clazz_id: ID,
        clazz_name: z.string(),
        code: z.string().meta({ description: 'Error code of the obstacle, such as `clazz_closed`' }),
      }),
    )
    .meta({ description: 'Classes in which nothing was changed. Repeat the call to retry them' }),
});
export type Closed = z.output<typeof Closed>;

/** Maximum number of lessons that one call cancels. */
export const MAX_CLOSURE_LESSONS = 5_000;

/** Closures (rules of the office). */
export const closureCalls = {
  createClosure: call({
    id: 'clazz.closure.create',
    http: 'POST /api/v1/clazz/closure',
    summary:
      'Cancel the scheduled lessons of a time range. Each class is cancelled completely or not at all. A repeated call changes nothing',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 200,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({
        from: InstantInput.meta({ description: 'Start of the range: lessons that end after this instant' }),
        to: InstantInput.meta({
          description: `End of the range: lessons that start before this instant. At most ${MAX_CLOSURE_LESSONS} lessons`,
        }),
        clazz_ids: optional(z.array(ID).max(500)).meta({
          description: 'Only lessons of these classes, at most 500. Default: all classes',
        }),
        teacher_id: optional(PersonIdInput).meta({
          description: 'Only lessons of this teacher. The lessons then count as cancelled by the teacher',
        }),
        room: optional(text(100)).meta({ description: 'Only lessons in this room' }),
        ...cancellationFields,
        reason: Reason,
        preview: optional(z.boolean()).meta({
          description: '`true`: changes nothing; `items` are the lessons that would be cancelled. Default false',
        }),
      })
      .check(nonEmptyRange),
    output: Closed,
  }),
};

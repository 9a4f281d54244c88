import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { ID, InstantInput, optional, PersonId, text } from '../scalars.ts';
import { cancelling, Reason } from './clazz.calls.ts';
import { ShownLesson } from './clazz.schema.ts';

/** What a closure did, class by class. */
export const Closed = z.object({
  items: z.array(ShownLesson).meta({ description: 'The lessons that were cancelled by this call, by start' }),
  failed: z
    .array(
      z.object({
        clazz_id: ID,
        clazz_name: z.string(),
        code: z.string().meta({ description: 'The problem code of what stood in the way, such as `clazz_closed`' }),
      }),
    )
    .meta({ description: 'Classes in which nothing was changed; asking again does what is left' }),
});
export type Closed = z.output<typeof Closed>;

/** So many lessons are cancelled by one call. */
export const MAX_CLOSED = 5_000;

/** Closing for a while: rules of the office. */
export const closureCalls = {
  createClosure: call({
    id: 'clazz.closure.create',
    http: 'POST /api/v1/clazz/closure',
    summary:
      'Cancel what is scheduled in a range, class by class: each class as a whole or not at all; again changes nothing more',
    who: ['SUPERVISOR'],
    writes: true,
    status: 200,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({
        from: InstantInput.meta({ description: 'Lessons that end after this' }),
        to: InstantInput.meta({ description: `Lessons that start before this; at most ${MAX_CLOSED} lessons` }),
        clazz_ids: optional(z.array(ID).max(500)).meta({ description: 'Of these classes only' }),
        teacher_id: optional(PersonId).meta({ description: 'Of this teacher only, who then is who cancelled' }),
        room: optional(text(100)).meta({ description: 'In this room only' }),
        ...cancelling,
        reason: Reason,
        preview: optional(z.boolean()).meta({ description: 'Changes nothing: `items` are what would be cancelled' }),
      })
      .refine((body) => body.from < body.to, { path: ['to'], message: 'must be after from' }),
    output: Closed,
  }),
};

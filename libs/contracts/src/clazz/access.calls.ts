import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Instant, PersonId } from '../scalars.ts';

/**
 * Days for which a token counts after it was issued (`iat`), whatever its `exp` says. A sign-out older than that concerns no
 * token any more and is forgotten.
 */
export const TOKEN_DAYS = 90;
/** People on one page. */
export const SHUT_OUT_PAGE = 1_000;

/** Up to where somebody knows who is shut out. */
const Place = z.object({
  database: z.string().meta({ description: 'Another one after the database was started or put back' }),
  horizon: z.string().regex(/^\d+$/).meta({ description: 'What transactions from this one on did is not all known' }),
});
export type ShutOutPlace = z.output<typeof Place>;

/** In order, by which pages follow each other. */
const Key = z.object({ org_id: ID, user_id: PersonId });

const ShutOut = Key.extend({
  inactive: z.boolean(),
  signed_out_at: Instant.nullable().meta({ description: 'No token counts that was issued up to this moment' }),
});
export type ShutOut = z.output<typeof ShutOut>;

export const accessCalls = {
  /** Asked by every gateway, again and again: so nobody's token outlives their access by more than a moment. */
  listShutOut: call({
    id: 'clazz.access.shut_out',
    summary:
      'Who must not enter, in all orgs: what changed since a place, else all. `whole`: from the start, since there was no place, or one of another database',
    who: 'service',
    asked_by: ['gateway'],
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({ after: Place.nullable(), beyond: Key.nullable() }),
    output: z.object({
      place: Place.meta({ description: 'After the first page of a list: where to go on when its last page was read' }),
      whole: z.boolean(),
      items: z.array(ShutOut),
      over: z.array(ID).default([]).meta({ description: 'Organizations that were deleted: nobody of them may enter' }),
      more: z.boolean(),
    }),
  }),
  /**
   * The gateway asks it for callers with an open page, who are notified only of what they may read. Statistics ask it before they
   * show hours: `students` and `children` are the students whose hour account the caller may read as a teacher or a guardian.
   */
  audience: call({
    id: 'clazz.access.audience',
    summary:
      'Whom and what the caller has to do with at this moment, by their roles: a guardian’s children, the classes a student or these children belong to, the students a teacher teaches',
    who: 'service',
    asked_by: ['gateway', 'stats'],
    writes: false,
    output: z.object({ children: z.array(PersonId), clazz_ids: z.array(ID), students: z.array(PersonId) }),
  }),
};

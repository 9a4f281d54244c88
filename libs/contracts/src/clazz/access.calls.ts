import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Instant, PersonId } from '../scalars.ts';

/**
 * Days for which a token is valid after it was issued (`iat`), even if `exp` is later. Older sign-outs affect no token
 * and are deleted.
 */
export const TOKEN_DAYS = 90;
/** People per page. */
export const SHUT_OUT_PAGE = 1_000;

/** The offset up to which a gateway has read the list of revoked access. */
const Place = z.object({
  database: z
    .string()
    .meta({ description: 'Id of the database state. It changes when the database is restarted or restored' }),
  horizon: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Transaction id: changes of this and later transactions may be missing' }),
});
export type ShutOutPlace = z.output<typeof Place>;

/** The sort key of the pages. */
const Key = z.object({ org_id: ID, user_id: PersonId });

const RevokedPerson = Key.extend({
  inactive: z.boolean(),
  signed_out_at: Instant.nullable().meta({
    description: 'Tokens that were issued until this instant are refused; `null` if the person was never signed out',
  }),
});
export type ShutOut = z.output<typeof RevokedPerson>;

export const accessCalls = {
  /** Each gateway calls it repeatedly, so that a revoked token stops working within seconds. */
  listShutOut: call({
    id: 'clazz.access.shut_out',
    summary:
      'List people without access, in all organizations: the changes since `after`, or all. `whole`: all, because `after` is null or of another database',
    who: 'service',
    asked_by: ['gateway'],
    writes: false,
    scope: 'all orgs',
    body: z.strictObject({ after: Place.nullable(), beyond: Key.nullable() }),
    output: z.object({
      place: Place.meta({ description: 'Offset of the first page. Continue from it after the last page' }),
      whole: z.boolean(),
      items: z.array(RevokedPerson),
      over: z.array(ID).default([]).meta({ description: 'Deleted organizations. Their people have no access' }),
      more: z.boolean(),
    }),
  }),
  /**
   * The gateway uses it to send change notices only about records that the caller may read. The stats service uses it
   * before it shows hours: the caller may read the hour accounts of `students` (as teacher) and `children` (as
   * guardian).
   */
  audience: call({
    id: 'clazz.access.audience',
    summary:
      'Read the related people and classes of the caller now: children of a guardian, classes of a student or of these children, students of a teacher',
    who: 'service',
    asked_by: ['gateway', 'stats'],
    writes: false,
    output: z.object({ children: z.array(PersonId), clazz_ids: z.array(ID), students: z.array(PersonId) }),
  }),
};

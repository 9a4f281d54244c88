import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Instant, PersonId, Role } from '../scalars.ts';

/**
 * Days for which a token is valid after it was issued (`iat`), even if `exp` is later. Older sign-outs affect no token
 * and are deleted.
 */
export const TOKEN_DAYS = 90;
/** People per page. */
export const REVOKED_PAGE_SIZE = 1_000;

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
export type RevocationOffset = z.output<typeof Place>;

/** The sort key of the pages. */
const Key = z.object({ org_id: ID, user_id: PersonId });

const RevokedPerson = Key.extend({
  inactive: z.boolean(),
  signed_out_at: Instant.nullable().meta({
    description: 'Tokens that were issued until this instant are refused; `null` if the person was never signed out',
  }),
});
export type RevokedPerson = z.output<typeof RevokedPerson>;

/** People whose relations one call reads. */
export const AUDIENCE_SIZE = 50;

/** The people and classes that a person is related to. */
const Relations = z.object({ children: z.array(PersonId), clazz_ids: z.array(ID), students: z.array(PersonId) });
export type Relations = z.output<typeof Relations>;

export const accessCalls = {
  /** Each gateway calls it repeatedly, so that a revoked token stops working within seconds. */
  listRevokedPeople: call({
    id: 'clazz.access.shut_out',
    summary:
      'List people without access, in all organizations: the changes since `after`, or all. `whole`: all, because `after` is null or of another database',
    roles: 'service',
    called_by: ['gateway'],
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
      'Read the related people and classes of the caller, or of several people of the organization, now: children of a guardian, classes of a student or of these children, students of a teacher',
    roles: 'service',
    called_by: ['gateway', 'stats'],
    writes: false,
    body: z.strictObject({
      people: z
        .array(z.strictObject({ user_id: PersonId, roles: z.array(Role) }))
        .max(AUDIENCE_SIZE)
        .optional(),
    }),
    output: Relations.extend({
      people: z
        .array(Relations)
        .optional()
        .meta({ description: 'The relations of `people`, in order; those of the caller are empty then' }),
    }),
  }),
};

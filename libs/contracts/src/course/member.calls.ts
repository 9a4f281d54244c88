import { z } from 'zod';
import { call } from '../call.ts';
import { keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import { Instant, optional, PersonId, Role, text } from '../scalars.ts';

const BASE = '/api/v1/ws/member';
export const MAX_MEMBERS = 500;

/** A person as lists show them. Nobody needs to be here to act or to be acted on. */
export const Member = z.object({
  user_id: PersonId,
  role: Role,
  display_name: z.string(),
  external_id: z.string().nullable(),
  created_at: Instant,
  updated_at: Instant,
});
export type Member = z.infer<typeof Member>;

export const memberCalls = {
  putBulk: call({
    id: 'course.member.put_bulk',
    http: `PUT ${BASE}/bulk`,
    summary: `Add people to the directory or change them (at most ${MAX_MEMBERS}); the same list again changes nothing`,
    who: ['SUPERVISOR'],
    writes: true,
    body: z.strictObject({
      members: z
        .array(
          z.strictObject({ user_id: PersonId, role: Role, display_name: text(200), external_id: optional(text(200)) }),
        )
        .max(MAX_MEMBERS),
    }),
    output: z.object({ items: z.array(Member), created: z.int(), updated: z.int(), unchanged: z.int() }),
  }),
  list: call({
    id: 'course.member.list',
    http: `GET ${BASE}`,
    summary: 'The directory; the keyword is looked for in name, user id and external id',
    who: ['SUPERVISOR', 'TEACHER'],
    writes: false,
    query: {
      ...keywordQuery,
      role: Role.optional(),
      ...sortQuery(['display_name', 'user_id', 'created_at', 'updated_at'], 'display_name'),
      ...pageQuery,
    },
    output: page(Member),
  }),
};

import { z } from 'zod';
import { call } from '../call.ts';
import { fields } from '../fields.ts';
import { keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import { Instant, PersonId, Role, STAFF, text } from '../scalars.ts';

const BASE = '/api/v1/ws/member';
export const MAX_MEMBERS = 500;

export const MemberFields = fields({
  role: { input: Role, output: Role },
  display_name: { input: text(200), output: z.string() },
  external_id: { input: text(200), output: z.string().nullable(), standard: null },
});

/** A person as lists show them. Nobody needs to be here to act or to be acted on. */
export const Member = z.object({
  user_id: PersonId,
  ...MemberFields.output,
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
      members: z.array(z.strictObject({ user_id: PersonId, ...MemberFields.create })).max(MAX_MEMBERS),
    }),
    output: z.object({ items: z.array(Member), created: z.int(), updated: z.int(), unchanged: z.int() }),
  }),
  list: call({
    id: 'course.member.list',
    http: `GET ${BASE}`,
    summary: 'The directory; the keyword is looked for in name, user id and external id',
    who: STAFF,
    writes: false,
    query: {
      ...keywordQuery,
      role: Role.optional(),
      ...sortQuery(['display_name', 'user_id', 'created_at', 'updated_at'], 'display_name'),
      ...pageQuery,
    },
    output: page(Member),
  }),
  erase: call({
    id: 'course.member.erase',
    http: `POST ${BASE}/{user_id}/erase`,
    summary:
      'Erase a person: the name, and every free text about them, in all services, the audit trail and what was told before. Marks, hours, charges and the chain of the trail stay whole. Once more erases what came since',
    who: ['SUPERVISOR'],
    writes: true,
    path: { user_id: PersonId },
    body: z.strictObject({ reason: text(1_000) }),
    output: z.object({
      user_id: PersonId,
      name: z.boolean().meta({ description: 'Whether the directory had them' }),
      texts: z.int().meta({ description: 'How many texts were erased' }),
    }),
  }),
};

import { z } from 'zod';
import { call } from '../call.ts';
import { fields } from '../fields.ts';
import { keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import { Instant, LocalDate, LocalDateInput, PersonId, prose, Role, STAFF, text } from '../scalars.ts';

const BASE = '/api/v1/ws/member';
export const MAX_MEMBERS = 500;

export const MEMBER_STATUSES = ['active', 'inactive'] as const;
export const MemberStatus = z.enum(MEMBER_STATUSES);

const about = (description: string) => ({ description });
const some = <T extends z.ZodType>(input: T, description: string) => ({
  input: input.meta(about(description)),
  output: z.string().nullable().meta(about(description)),
  standard: null,
});

export const MemberFields = fields({
  role: { input: Role, output: Role },
  roles: {
    input: z.array(Role).min(1).max(4),
    output: z.array(Role).meta(about('All roles, the primary one among them. They give no rights: the token does')),
    standard: undefined,
  },
  display_name: { input: text(200), output: z.string() },
  given_name: some(text(200), 'Given name'),
  family_name: some(text(200), 'Family name'),
  email: some(text(320), 'E-mail address, as the office writes it; nothing is sent there'),
  phone: some(text(50), 'Phone number, as the office writes it'),
  birthday: { input: LocalDateInput, output: LocalDate.nullable(), standard: null },
  external_id: some(text(200), 'What another system calls them'),
  note: some(prose(2_000), 'For staff only'),
});

/** A person as the directory keeps them. Nobody needs to be here to act or to be acted on. */
export const Member = z.object({
  user_id: PersonId,
  ...MemberFields.output,
  status: MemberStatus,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Member = z.infer<typeof Member>;

export const memberCalls = {
  putBulk: call({
    id: 'clazz.member.put_bulk',
    http: `PUT ${BASE}/bulk`,
    summary: `Add people to the directory or change them (at most ${MAX_MEMBERS}): what is left out stays, null clears; the same list again changes nothing`,
    who: ['SUPERVISOR'],
    writes: true,
    body: z.strictObject({
      members: z.array(z.strictObject({ user_id: PersonId, ...MemberFields.create })).max(MAX_MEMBERS),
    }),
    output: z.object({ items: z.array(Member), created: z.int(), updated: z.int(), unchanged: z.int() }),
  }),
  list: call({
    id: 'clazz.member.list',
    http: `GET ${BASE}`,
    summary: 'The directory; the keyword is looked for in names, user id, external id, e-mail and phone',
    who: STAFF,
    writes: false,
    query: {
      ...keywordQuery,
      role: Role.optional(),
      status: MemberStatus.optional(),
      ...sortQuery(['display_name', 'user_id', 'created_at', 'updated_at'], 'display_name'),
      ...pageQuery,
    },
    output: page(Member),
  }),
  erase: call({
    id: 'clazz.member.erase',
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

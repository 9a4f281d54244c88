import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { fields } from '../fields.ts';
import { keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import {
  ALL_ROLES,
  ID,
  Instant,
  LocalDate,
  LocalDateInput,
  optional,
  PersonId,
  PersonName,
  prose,
  Role,
  STAFF,
  text,
} from '../scalars.ts';
import { Enrolment } from './clazz.schema.ts';
import { ShownLesson } from './clazz.schema.ts';

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

/** What students know of their teachers. */
export const Acquaintance = Member.pick({ user_id: true, display_name: true, role: true });
/** A person as the caller may see them: staff everything, people themselves everything but the note, others what stands first. */
const SeenMember = Member.partial().extend(Acquaintance.shape);

/** Somebody who stands for a student. */
export const Guardian = z.object({
  user_id: PersonId,
  display_name: PersonName,
  relation: z.string().nullable().meta(about('What they are to the student, in words')),
  money: z.boolean().meta(about('May see what was paid')),
});
export type Guardian = z.infer<typeof Guardian>;
const Guardians = z.object({ student_id: PersonId, student_name: PersonName, guardians: z.array(Guardian) });
/** So many guardians a student may have. */
const MAX_GUARDIANS = 20;

const SuspendedEnrolment = Enrolment.extend({ clazz_name: z.string(), student_name: PersonName });
const Activity = z.object({
  member: Member,
  lessons: z
    .array(ShownLesson)
    .meta(
      about('Scheduled lessons of this teacher that have not begun: they are not changed, somebody has to be found'),
    ),
  suspended: z.array(SuspendedEnrolment).meta(about('Enrolments that were active until now')),
});

const one = { user_id: PersonId };

export const memberCalls = {
  putMembers: call({
    id: 'clazz.member.put_bulk',
    http: `PUT ${BASE}/bulk`,
    summary: `Add people to the directory or change them (at most ${MAX_MEMBERS}): what is left out stays, null clears; the same list again changes nothing`,
    who: ['SUPERVISOR'],
    writes: true,
    cost: 20,
    max_body: LARGEST_BODY,
    body: z.strictObject({
      members: z.array(z.strictObject({ user_id: PersonId, ...MemberFields.create })).max(MAX_MEMBERS),
    }),
    output: z.object({ items: z.array(Member), created: z.int(), updated: z.int(), unchanged: z.int() }),
  }),
  listMembers: call({
    id: 'clazz.member.list',
    http: `GET ${BASE}`,
    summary: 'The directory; the keyword is looked for in names, user id, external id, e-mail and phone',
    who: STAFF,
    whose: 'all',
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
  getMember: call({
    id: 'clazz.member.get',
    http: `GET ${BASE}/{user_id}`,
    summary:
      'One person: staff see everybody, others themselves without the note, and name and role of their own teachers and family',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: ['self', 'acquainted'] },
    writes: false,
    path: one,
    output: SeenMember,
  }),
  updateMember: call({
    id: 'clazz.member.update',
    http: `PATCH ${BASE}/{user_id}`,
    summary: 'Change what the directory says of a person',
    who: ['SUPERVISOR'],
    writes: true,
    path: one,
    max_body: LONG_BODY,
    body: z.strictObject(MemberFields.patch),
    output: Member,
    errors: ['version_mismatch'],
  }),
  deleteMember: call({
    id: 'clazz.member.remove',
    http: `DELETE ${BASE}/{user_id}`,
    summary:
      'Take a person whom nothing refers to from the directory; the audit trail, ended enrolments and who did what are no reason to keep them',
    who: ['SUPERVISOR'],
    writes: true,
    status: 204,
    path: one,
    output: z.null(),
    errors: ['in_use', 'version_mismatch'],
  }),
  deactivateMember: call({
    id: 'clazz.member.deactivate',
    http: `POST ${BASE}/{user_id}/deactivate`,
    summary:
      'Somebody leaves: within 5 s no token and no calendar address of theirs is good any more, their active enrolments are suspended, the lessons they were to give are named; once more names what is there now',
    who: ['SUPERVISOR'],
    writes: true,
    path: one,
    body: z.strictObject({ reason: text(1_000) }),
    output: Activity,
    errors: ['version_mismatch'],
  }),
  activateMember: call({
    id: 'clazz.member.activate',
    http: `POST ${BASE}/{user_id}/activate`,
    summary: 'Somebody is back and may enter again within 5 s; nothing that was suspended is resumed',
    who: ['SUPERVISOR'],
    writes: true,
    path: one,
    body: z.strictObject({ reason: optional(text(1_000)) }).optional(),
    output: Activity,
    errors: ['version_mismatch'],
  }),
  signOutMember: call({
    id: 'clazz.member.sign_out',
    http: `POST ${BASE}/{user_id}/sign-out`,
    summary:
      'Sign somebody out: within 5 s every token is refused that was issued to them up to now, and their calendar addresses end. Newer tokens are good. Also for who is not in the directory',
    who: ['SUPERVISOR'],
    writes: true,
    path: one,
    body: z.strictObject({ reason: optional(text(1_000)) }).optional(),
    output: z.object({
      user_id: PersonId,
      display_name: PersonName,
      signed_out_at: Instant.meta(about('No token counts that was issued up to this moment')),
    }),
  }),
  putGuardians: call({
    id: 'clazz.member.put_guardians',
    http: `PUT ${BASE}/{user_id}/guardian`,
    summary: 'Make the guardians of a student exactly this list of people of the directory',
    who: ['SUPERVISOR'],
    writes: true,
    path: one,
    max_body: LONG_BODY,
    body: z.strictObject({
      guardians: z
        .array(
          z.strictObject({
            user_id: PersonId,
            relation: optional(text(100)),
            money: z.boolean().meta(about('May see what was paid')),
          }),
        )
        .max(MAX_GUARDIANS),
    }),
    output: Guardians,
  }),
  listGuardians: call({
    id: 'clazz.member.list_guardians',
    http: `GET ${BASE}/{user_id}/guardian`,
    summary: 'The guardians of a student',
    who: ['SUPERVISOR'],
    writes: false,
    path: one,
    output: Guardians,
  }),
  eraseMember: call({
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

const Me = z.object({
  user_id: PersonId,
  org_id: ID,
  roles: z.array(Role).meta(about('Those of the token')),
  member: SeenMember.nullable().meta(
    about(
      'What the directory says of the caller, without the note for who is not staff; null when it does not know them',
    ),
  ),
  children: z
    .array(z.object({ user_id: PersonId, display_name: z.string() }))
    .meta(about('The students whose guardian the caller is')),
  policy: z.object({
    zone: z.string(),
    currency: z.string().nullable().meta(about('What money is in where nothing else is said')),
    org_name: z.string().nullable().meta(about('What the organization calls itself')),
  }),
});

export const meCalls = {
  getMe: call({
    id: 'clazz.me.get',
    http: 'GET /api/v1/me',
    summary: 'Who the caller is, to the token and to the directory, and what holds for the whole organization',
    who: ALL_ROLES,
    whose: 'self',
    writes: false,
    output: Me,
  }),
};

import { z } from 'zod';
import { call, LARGEST_BODY, LONG_BODY } from '../call.ts';
import { isEmailAddress } from '../email.ts';
import { fields } from '../fields.ts';
import { commaSeparated, keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import { distinct, otherThanPath, rule } from '../rules.ts';
import {
  ALL_ROLES,
  ID,
  identifier,
  Instant,
  LocalDate,
  LocalDateInput,
  optional,
  PersonId,
  PersonIdInput,
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
  default: null,
});

export const MemberFields = fields({
  role: { input: Role, output: Role },
  roles: {
    input: z.array(Role).min(1).max(4),
    output: z
      .array(Role)
      .meta(about('All roles, including the primary `role`. They give no permissions: the token does')),
    default: undefined,
  },
  display_name: { input: text(200), output: z.string() },
  given_name: some(text(200), 'Given name, 1 to 200 characters'),
  family_name: some(text(200), 'Family name, 1 to 200 characters'),
  email: some(
    text(320).refine(isEmailAddress, {
      error: 'must be an e-mail address, such as ann@example.com',
      // A text with a problem of its own has that problem only.
      when: ({ issues }) => issues.length === 0,
    }),
    'E-mail address, also in other scripts, of at most 254 octets. The system sends no e-mail',
  ),
  phone: some(text(50), 'Phone number as the office entered it, up to 50 characters'),
  birthday: { input: LocalDateInput, output: LocalDate.nullable(), default: null },
  external_id: some(identifier(200), 'Key of the person in another system, 1 to 200 characters'),
  note: some(prose(2_000), 'Note about the person, up to 2,000 characters. Only staff see it'),
});

/** A person of the directory. By default people need not be in the directory to act or to be referred to. */
export const Member = z.object({
  user_id: PersonId,
  ...MemberFields.output,
  status: MemberStatus,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Member = z.infer<typeof Member>;

/** The data that students and guardians see of related people. */
export const Acquaintance = Member.pick({ user_id: true, display_name: true, role: true });
/**
 * A person as the caller may see them. Staff see all fields, the person sees all but the note, related people see the
 * fields of `Acquaintance`.
 */
const SeenMember = Member.partial().extend(Acquaintance.shape);

/** A guardian of a student. */
export const Guardian = z.object({
  user_id: PersonId,
  display_name: PersonName,
  relation: z.string().nullable().meta(about('Relation to the student as text, such as `mother`; `null` if not set')),
  money: z.boolean().meta(about('Whether the guardian may see prices')),
});
export type Guardian = z.infer<typeof Guardian>;
const Guardians = z.object({ student_id: PersonId, student_name: PersonName, guardians: z.array(Guardian) });
/** Maximum number of guardians of a student. */
const MAX_GUARDIANS = 20;

const SuspendedEnrolment = Enrolment.extend({ clazz_name: z.string(), student_name: PersonName });
const Activity = z.object({
  member: Member,
  lessons: z
    .array(ShownLesson)
    .meta(about('Scheduled lessons of this teacher that have not begun. They are not changed and need a substitute')),
  suspended: z.array(SuspendedEnrolment).meta(about('Enrolments that this call suspended')),
});

type Names = Partial<Record<(typeof MEMBER_NAMES)[number], string | null>>;
/** Ids and names that list filters separate by commas. */
export const MEMBER_NAMES = ['user_id', 'display_name', 'given_name', 'family_name'] as const;
export const NO_COMMA = 'must not contain a comma';
const withoutComma = (name: (typeof MEMBER_NAMES)[number]) =>
  rule([name], (member: Names) => member[name]?.includes(',') !== true, { path: name, message: NO_COMMA });

type Roles = { role: Role; roles?: readonly Role[] | null | undefined };
const ROLE_RULES = [
  rule(['role', 'roles'], ({ role, roles }: Roles) => roles == null || roles.includes(role), {
    path: 'roles',
    message: ({ role }) => `must contain ${role}, the primary role`,
  }),
  rule(['roles'], ({ roles }: Roles) => roles == null || new Set(roles).size === roles.length, {
    path: 'roles',
    message: 'contains the same role twice',
  }),
];

const one = { user_id: PersonIdInput };

export const memberCalls = {
  putMembers: call({
    id: 'clazz.member.put_bulk',
    http: `PUT ${BASE}/bulk`,
    summary: `Create or update people in the directory. At most ${MAX_MEMBERS} people. An omitted field keeps its value, null clears it`,
    roles: ['SUPERVISOR'],
    writes: true,
    cost: 20,
    max_body: LARGEST_BODY,
    body: z.strictObject({
      members: z
        .array(
          z
            .strictObject({ user_id: PersonIdInput, ...MemberFields.create })
            .check(...MEMBER_NAMES.map(withoutComma), ...ROLE_RULES),
        )
        .max(MAX_MEMBERS)
        .check(distinct(({ user_id }) => user_id, ['user_id'])),
    }),
    output: z.object({ items: z.array(Member), created: z.int(), updated: z.int(), unchanged: z.int() }),
  }),
  listMembers: call({
    id: 'clazz.member.list',
    http: `GET ${BASE}`,
    summary: 'List the directory. `keyword` searches names, user id, external id, e-mail and phone',
    roles: STAFF,
    access: 'all',
    writes: false,
    query: {
      ...keywordQuery,
      role: commaSeparated(Role).optional(),
      status: commaSeparated(MemberStatus).optional(),
      ...sortQuery(['display_name', 'user_id', 'created_at', 'updated_at'], 'display_name'),
      ...pageQuery,
    },
    output: page(Member),
  }),
  getMember: call({
    id: 'clazz.member.get',
    http: `GET ${BASE}/{user_id}`,
    summary:
      'Read a person. Staff read all people. Others read themselves without the note, and name and role of their teachers and family',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: ['self', 'acquainted'] },
    writes: false,
    path: one,
    output: SeenMember,
  }),
  updateMember: call({
    id: 'clazz.member.update',
    http: `PATCH ${BASE}/{user_id}`,
    summary: 'Update a person in the directory',
    roles: ['SUPERVISOR'],
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
      'Delete a person to whom nothing refers. Audit log, ended enrolments and earlier actions do not count as references',
    roles: ['SUPERVISOR'],
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
      'Deactivate a person. Tokens and calendar addresses stop working within 5 s, and active enrolments are suspended. The response lists future lessons of the teacher',
    roles: ['SUPERVISOR'],
    writes: true,
    path: one,
    body: z.strictObject({ reason: text(1_000) }),
    output: Activity,
    errors: ['version_mismatch'],
  }),
  activateMember: call({
    id: 'clazz.member.activate',
    http: `POST ${BASE}/{user_id}/activate`,
    summary: 'Activate a person, who has access again within 5 s. Suspended enrolments stay suspended',
    roles: ['SUPERVISOR'],
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
      'Sign a person out. Tokens issued until now and calendar addresses stop working within 5 s. Newer tokens work. The person need not be in the directory',
    roles: ['SUPERVISOR'],
    writes: true,
    path: one,
    body: z.strictObject({ reason: optional(text(1_000)) }).optional(),
    output: z.object({
      user_id: PersonId,
      display_name: PersonName,
      signed_out_at: Instant.meta(about('Tokens that were issued until this instant are refused')),
    }),
  }),
  putGuardians: call({
    id: 'clazz.member.put_guardians',
    http: `PUT ${BASE}/{user_id}/guardian`,
    summary: 'Replace the guardians of a student. Each guardian must be in the directory',
    roles: ['SUPERVISOR'],
    writes: true,
    path: one,
    max_body: LONG_BODY,
    body: z.strictObject({
      guardians: z
        .array(
          z.strictObject({
            user_id: PersonIdInput,
            relation: optional(text(100)),
            money: z.boolean().meta(about('Whether the guardian may see prices')),
          }),
        )
        .max(MAX_GUARDIANS)
        .check(distinct(({ user_id }) => user_id, ['user_id'])),
    }),
    input_rules: [otherThanPath('user_id', ['guardians', '*', 'user_id'], 'is the student itself')],
    output: Guardians,
  }),
  listGuardians: call({
    id: 'clazz.member.list_guardians',
    http: `GET ${BASE}/{user_id}/guardian`,
    summary: 'List the guardians of a student',
    roles: ['SUPERVISOR'],
    writes: false,
    path: one,
    output: Guardians,
  }),
  eraseMember: call({
    id: 'clazz.member.erase',
    http: `POST ${BASE}/{user_id}/erase`,
    summary:
      'Erase a person. The name and all free texts about the person are erased in all services, the audit log and past events. Marks, hours, charges and the hash chain stay. A repeated call erases newer texts',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { user_id: PersonIdInput },
    body: z.strictObject({ reason: text(1_000) }),
    output: z.object({
      user_id: PersonId,
      name: z.boolean().meta({ description: 'Whether the directory contained the person' }),
      texts: z.int().meta({ description: 'Number of texts that were erased' }),
    }),
  }),
};

const Me = z.object({
  user_id: PersonId,
  org_id: ID,
  roles: z.array(Role).meta(about('Roles in the token')),
  member: SeenMember.nullable().meta(
    about(
      'The caller in the directory, without the note unless the caller is staff; `null` if the directory does not contain the caller',
    ),
  ),
  children: z
    .array(z.object({ user_id: PersonId, display_name: z.string() }))
    .meta(about('Students whose guardian the caller is')),
  policy: z.object({
    zone: z.string(),
    currency: z.string().nullable().meta(about('Default currency of prices, ISO 4217; `null` if the policy has none')),
    org_name: z.string().nullable().meta(about('Name of the organization; `null` if not set')),
  }),
});

export const meCalls = {
  getMe: call({
    id: 'clazz.me.get',
    http: 'GET /api/v1/me',
    summary:
      'Read the caller. The response contains identity, directory entry, children, and main settings of the organization',
    roles: ALL_ROLES,
    access: 'self',
    writes: false,
    output: Me,
  }),
};

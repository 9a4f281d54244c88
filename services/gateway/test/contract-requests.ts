import type { AnyCall } from '@teaching/contracts';
import { isJson } from '../src/docs/json-schema.ts';
import { isObject, partsOf } from '../../../libs/contracts/src/schema-parts.ts';
import type { z } from 'zod';
import type { OneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import type { AnyTestRequest } from '../../../tools/proofs/test/any-request.ts';

type Kind = keyof OneOfEach;

/** The record of ours that each path parameter names: by service, entity and parameter. */
const PARAMETERS: Readonly<Record<string, Kind>> = {
  'package.package.id': 'package',
  'package.item.package_id': 'package',
  'package.version.id': 'package',
  'package.version.number': 'version',
  'course.category.id': 'category',
  'course.course.id': 'course',
  'course.section.course_id': 'course',
  'course.section.id': 'section',
  'course.group.id': 'group',
  'course.lianxi.id': 'lianxi',
  'course.submission.id': 'lianxi',
  'course.piyue.submission_id': 'submission',
  'course.jihua.id': 'jihua',
  'clazz.member.user_id': 'student',
  // The caller must stay active.
  'clazz.member.deactivate.user_id': 'leaver',
  'clazz.member.activate.user_id': 'leaver',
  'clazz.member.sign_out.user_id': 'teacher',
  // Everything else refers to the student.
  'clazz.member.remove.user_id': 'leaver',
  'clazz.clazz.id': 'clazz',
  'clazz.enrolment.id': 'clazz',
  'clazz.enrolment.student_id': 'student',
  'clazz.lesson.id': 'clazz',
  'clazz.lesson.lesson_id': 'lesson',
  'clazz.series.id': 'clazz',
  'clazz.audit.id': 'clazz',
  'clazz.calendar.secret': 'secret',
  'clazz.roll_call.lesson_id': 'lesson',
  'clazz.room.id': 'room',
  'clazz.substitution.lesson_id': 'lesson',
  'clazz.leave.id': 'leave',
  // Only leave that was approved has a credit to be used.
  'clazz.leave.make_up_options.id': 'approved',
  'clazz.hour.student_id': 'student',
  'clazz.hour.entry_id': 'entry',
  'clazz.hour.lot_id': 'lot',
  'stats.clazz.id': 'clazz',
};
/** The record or person of ours that a filter names, for every call with this filter. */
export const FILTERS: Readonly<Record<string, Kind>> = {
  parent_id: 'category',
  category_id: 'category',
  course_id: 'course',
  course_section_id: 'section',
  lianxi_id: 'lianxi',
  jihua_id: 'jihua',
  package_id: 'package',
  clazz_id: 'clazz',
  lesson_id: 'lesson',
  series_id: 'series',
  student_id: 'student',
  user_id: 'student',
  teacher_id: 'teacher',
  lead_teacher_id: 'teacher',
  owner_id: 'teacher',
  actor_id: 'teacher',
  entity_id: 'lesson',
};
/** The same for ids in bodies with a different or ambiguous name. */
const IN_BODIES: Readonly<Record<string, Kind>> = {
  ...FILTERS,
  'course.section.parent_id': 'section',
  course_package_id: 'package',
  to_clazz_id: 'other_clazz',
  section_ids: 'section',
  course_ids: 'course',
  clazz_ids: 'clazz',
  submission_ids: 'submission',
  quote_id: 'quote',
};
const PEOPLE: readonly Kind[] = ['student', 'teacher'];

const entityOf = ({ id }: AnyCall): string => id.split('.').slice(0, 2).join('.');
export const kindOf = (call: AnyCall, name: string): Kind | undefined =>
  PARAMETERS[`${call.id}.${name}`] ?? PARAMETERS[`${entityOf(call)}.${name}`];
/**
 * The kind of record that a path parameter names. Throws for an unlisted parameter: with a wrong id the test would fail
 * for another reason.
 */
const namedKind = (call: AnyCall, name: string): Kind => {
  const kind = kindOf(call, name);
  if (kind === undefined)
    throw new Error(
      `${call.id}: PARAMETERS in services/gateway/test/contract-requests.ts does not say what {${name}} of its path names`,
    );
  return kind;
};
export const parametersOf = (call: AnyCall): string[] => Object.keys(call.path.shape);
/** Ids of people have no meaning across organizations: a stranger may have the same. */
export const namesRecord = (call: AnyCall): boolean =>
  parametersOf(call).some((name) => {
    const kind = kindOf(call, name);
    return kind === undefined || !PEOPLE.includes(kind);
  });
export const filtersOf = (call: AnyCall): string[] =>
  Object.keys(call.query.shape).filter((name) => name.endsWith('_id'));
const isNeeded = (call: AnyCall, filter: string): boolean => !call.query.shape[filter].safeParse(undefined).success;

/** The fields of a body, also when it has several forms. */
export const membersOf = (schema: z.ZodType): Readonly<Record<string, unknown>> => {
  if (isObject(schema)) return schema.shape;
  return Object.assign({}, ...partsOf(schema, 'input').map(membersOf)) as Record<string, unknown>;
};
const kindInBody = (call: AnyCall, name: string): Kind | undefined =>
  IN_BODIES[`${entityOf(call)}.${name}`] ?? IN_BODIES[name];
/** The fields of a body that contain ids of records; ids of people and external ids are excluded. */
export const idsInBody = (call: AnyCall): string[] =>
  Object.keys(membersOf(call.body)).filter(
    (name) =>
      /_ids?$/.test(name) &&
      !/^(external|user|student|teacher|lead_teacher|owner|to_student|from_student)_ids?$/.test(name),
  );

/** Further required input: bodies that name our records wherever they can, and required query parameters. */
const saidTo = (our: OneOfEach): Readonly<Record<string, AnyTestRequest>> => {
  const times = { starts_at: '2092-01-01T10:00:00Z', ends_at: '2092-01-01T11:00:00Z' };
  const rhythm = { starts_on: '2093-01-01', start_time: '10:00', duration_minutes: 60, zone: 'UTC' };
  const series = { body: { ...rhythm, rrule: 'FREQ=DAILY', count: 1 } };
  const days = { starts_on: '2092-01-01', ends_on: '2092-01-02', zone: 'UTC' };
  const practice = { title: 'x', course_section_id: our.section, content: { questions: [] } };
  const range = { from: times.starts_at, to: times.ends_at, clazz_ids: [our.clazz] };
  return {
    'package.package.create': { body: { title: 'x', category_id: our.category } },
    'package.package.update': { body: { title: 'x' } },
    'package.item.sync': { body: { package_id: our.package, items: [] } },
    'package.version.diff': { query: { from: our.version, to: our.next_version } },
    'course.category.create': { body: { name: 'x', parent_id: our.category } },
    'course.category.update': { body: { name: 'x' } },
    'course.course.create': { body: { title: 'x', category_id: our.category } },
    'course.course.update': { body: { title: 'x' } },
    'course.section.create': { body: { title: 'x' } },
    'course.section.update': { body: { title: 'x' } },
    'course.section.reorder': { body: { section_ids: [our.section] } },
    'course.group.create': { body: { name: 'x' } },
    'course.group.update': { body: { name: 'x' } },
    'course.group.put_courses': { body: { course_ids: [our.course] } },
    'clazz.member.put_bulk': { body: { members: [{ user_id: our.student, role: 'STUDENT', display_name: 'x' }] } },
    'clazz.member.update': { body: { note: 'x' } },
    'clazz.member.deactivate': { body: { reason: 'x' } },
    'clazz.member.put_guardians': { body: { guardians: [] } },
    'clazz.member.erase': { body: { reason: 'x' } },
    'course.lianxi.create': { body: practice },
    'course.lianxi.update': { body: { title: 'x' } },
    'course.lianxi.extend': { body: { student_id: our.student, due_at: times.starts_at } },
    'course.submission.create': { body: { answers: {} } },
    'course.piyue.mark': { body: { score: 1, reason: 'x' } },
    'course.piyue.release': { body: { submission_ids: [our.submission] } },
    'course.jihua.create': { body: { title: 'x', ...days } },
    'course.jihua.update': { body: { title: 'x' } },
    'course.jihua.put_students': { body: { student_ids: [our.student] } },
    'course.daka.put': { body: { jihua_id: our.jihua, student_id: our.student } },
    'course.daka.streak': { query: { student_id: our.student } },
    'clazz.clazz.create': { body: { name: 'x', lead_teacher_id: 'lee', course_id: our.course } },
    'clazz.clazz.update': { body: { name: 'x' } },
    'clazz.clazz.reopen': { body: { reason: 'x' } },
    'clazz.clazz.set_assistants': { body: { teacher_ids: ['lee'] } },
    'clazz.enrolment.enrol': { body: { student_ids: ['bob'] } },
    'clazz.enrolment.transfer': { body: { to_clazz_id: our.other_clazz } },
    'clazz.lesson.create': { body: times },
    'clazz.lesson.check': { body: { ...times, lesson_id: our.lesson_with_leave } },
    'clazz.lesson.update': { body: { room: 'x' } },
    'clazz.series.preview': series,
    'clazz.series.create': series,
    'clazz.room.create': { body: { name: 'x' } },
    'clazz.room.update': { body: { name: 'x' } },
    'clazz.room.list_free': { query: { from: times.starts_at, to: times.ends_at } },
    'clazz.closure.create': { body: { ...range, reason: 'x' } },
    'clazz.substitution.create': { body: { ...range, teacher_id: our.teacher } },
    'clazz.holiday.put': { body: { holidays: [] } },
    'clazz.policy.put': { body: {} },
    'clazz.lesson.restore': { body: { reason: 'x' } },
    'clazz.roll_call.submit': { body: { marks: [{ student_id: our.student, mark: 'absent' }], reason: 'x' } },
    'clazz.leave.request': { body: { lesson_id: our.lesson_with_leave, student_id: our.student, reason: 'x' } },
    'clazz.leave.quote': { query: { student_id: our.student } },
    'clazz.leave.make_up': { body: { lesson_id: our.other_lesson } },
    'clazz.hour.grant': { body: { student_id: our.student, hours: 1, package_id: our.package } },
    'clazz.hour.grant_bulk': {
      body: { grants: [{ student_id: our.student, hours: 1, package_id: our.package }] },
    },
    'clazz.hour.transfer': {
      body: { from_student_id: our.student, to_student_id: 'bob', hours: 1, reason: 'x' },
    },
    'clazz.hour.adjust': { body: { student_id: our.student, hours: 1, reason: 'x' } },
    'clazz.hour.quote_refund': { body: { student_id: our.student } },
    'clazz.hour.refund': { body: { quote_id: our.quote } },
    'stats.explain.list': { query: { figure: 'scheduled' } },
  };
};

/** A whole request. */
export type PreparedRequest = Required<Pick<AnyTestRequest, 'body'>> &
  Record<'path' | 'query', Record<string, unknown>>;

/** The body, and one body for each further id of a record that it may contain. */
const bodiesOf = (call: AnyCall, our: OneOfEach, body: unknown): unknown[] => {
  const said = isJson(body) ? body : {};
  const more = idsInBody(call).flatMap((name): Record<string, unknown>[] => {
    const kind = kindInBody(call, name);
    if (kind === undefined || name in said) return [];
    return [{ ...said, [name]: name.endsWith('_ids') ? [our[kind]] : our[kind] }];
  });
  return [body, ...more.filter((one) => call.body.safeParse(one).success)];
};

/** The requests that a caller with all these ids can send: plain, with each filter, and with each id in the body. */
export const requestsTo = (call: AnyCall, our: OneOfEach, withPeople: boolean): PreparedRequest[] => {
  const { query = {}, body } = saidTo(our)[call.id] ?? {};
  const path = Object.fromEntries(parametersOf(call).map((name) => [name, our[namedKind(call, name)]]));
  const filters = filtersOf(call).map((name): [string, Kind | undefined] => [name, FILTERS[name]]);
  const given = filters.flatMap(([name, kind]) => (kind === undefined ? [] : [{ name, kind, value: our[kind] }]));
  const needed = Object.fromEntries(
    given.filter(({ name }) => isNeeded(call, name)).map(({ name, value }) => [name, value]),
  );
  const narrowed = given.filter(({ kind }) => withPeople || !PEOPLE.includes(kind));
  const searches = [{}, ...narrowed.map(({ name, value }) => ({ [name]: value }))];
  return bodiesOf(call, our, body).flatMap((one) =>
    searches.map((filter) => ({ path, query: { ...query, ...needed, ...filter }, body: one })),
  );
};

/** The same request without filters. */
export const requestTo = (call: AnyCall, our: OneOfEach): PreparedRequest => {
  const [request] = requestsTo(call, our, false);
  if (request === undefined) throw new Error(`no request is defined for ${call.id}`);
  return request;
};

/** Where a call about a student takes the id of the student. */
export const childParameter = (call: AnyCall): 'path' | 'query' | 'body' => {
  if ('student_id' in call.path.shape) return 'path';
  return 'student_id' in call.query.shape ? 'query' : 'body';
};

/** The same request about this student, or without a student. */
export const requestAboutChild = (call: AnyCall, request: PreparedRequest, student_id?: string): PreparedRequest => {
  const place = childParameter(call);
  const { student_id: _named, ...said } = (request[place] ?? {}) as Record<string, unknown>;
  return { ...request, [place]: student_id === undefined ? said : { ...said, student_id } };
};

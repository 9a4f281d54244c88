import {
  type AnyCall,
  HOUR_FIGURES,
  hourCalls,
  ledgerCalls,
  MyLessons,
  type Role,
  rollCallCalls,
  STAFF,
  statsCalls,
} from '@teaching/contracts';
import { z } from 'zod';
import { isJson } from '../src/docs/json-schema.ts';

type Values = Record<string, unknown>;

/** A student with an account, and the lesson where the student has a mark. */
export interface StudentWithHours {
  student_id: string;
  clazz_id: string;
  lesson_id: string;
}

/** A read that shows hours of a student, and the members of its answer that contain them. */
export interface HoursShown {
  call: AnyCall;
  /** The name of the entry when a call has several. */
  about?: string;
  /** The roles that use this entry; by default all roles of the call. */
  roles?: readonly Role[];
  request: (of: StudentWithHours) => { path?: Values; query?: Values };
  /** Paths in the form of `membersOf`. `null`: the whole answer is about hours; the caller gets all of it or none. */
  members: readonly string[] | null;
}

const ENTRIES = ['items[].amount', 'items[].balance_before', 'items[].balance_after'];
const sums = Object.keys(MyLessons.shape.hours.shape).map((name) => `hours.${name}`);
const range = { from: '2020-01-01', to: '2040-12-31', unit: 'month' };

const EXPLAINED: readonly HoursShown[] = [
  ...HOUR_FIGURES.map((figure) => ({
    call: statsCalls.explainFigure,
    about: `${figure} of a student`,
    request: ({ student_id }: StudentWithHours) => ({ query: { figure, student_id, ...range, unit: undefined } }),
    members: null,
  })),
  {
    call: statsCalls.explainFigure,
    about: 'hours_consumed of a class',
    roles: STAFF,
    request: ({ clazz_id }) => ({ query: { figure: 'hours_consumed', clazz_id, ...range, unit: undefined } }),
    members: null,
  },
];

/**
 * Every read that shows hours of a student to callers other than supervisors. The first is the account: a caller
 * without access to it sees no hours in the others. A call with hours in its answer has an entry here, or its reason in
 * `NOT_OF_ACCOUNTS`.
 */
export const HOURS_SHOWN: readonly HoursShown[] = [
  {
    call: hourCalls.getHourAccount,
    request: ({ student_id }) => ({ path: { student_id } }),
    members: ['balance', ...sums.filter((name) => name !== 'hours.expiring_30d'), 'lots[].remaining', 'lots[].granted'],
  },
  { call: hourCalls.listStudentHourEntries, request: ({ student_id }) => ({ path: { student_id } }), members: ENTRIES },
  {
    call: ledgerCalls.listHourAccounts,
    request: () => ({}),
    members: ['items[].balance', 'items[].owed', 'items[].expiring'],
  },
  { call: ledgerCalls.listHourEntries, request: ({ student_id }) => ({ query: { student_id } }), members: ENTRIES },
  {
    call: rollCallCalls.getRollCall,
    request: ({ lesson_id }) => ({ path: { lesson_id } }),
    members: ['marks[].hours_left'],
  },
  {
    call: statsCalls.getMyLessonStats,
    request: ({ student_id }) => ({ query: { student_id, ...range } }),
    members: ['totals.hours_consumed', ...sums, 'clazzes[].hours_consumed', 'series[].hours_consumed'],
  },
  {
    call: statsCalls.getClazzStats,
    request: ({ clazz_id }) => ({ path: { id: clazz_id }, query: range }),
    members: ['totals.hours_consumed', 'students[].hours_consumed', 'series[].hours_consumed'],
  },
  ...EXPLAINED,
];

/** Members that look like hours of a student but are not, by call and member, with the reason. */
export const NOT_OF_ACCOUNTS: readonly [members: RegExp, reason: string][] = [
  [
    /^package\.\w+\.\w+ .*\b(total_)?hours$/,
    'the hours that a package sells, visible to every person to whom it is offered',
  ],
  [/^clazz\.[\w.]+ (items\[\]\.|lesson\.)?hours$/, 'the value of a lesson'],
  [/^clazz\.policy\.get /, 'settings of the organization'],
  [
    /^clazz\.roll_call\.\w+ \w+\[\]\.charged_hours$/,
    'the charge of one mark, visible to every reader of the roll call',
  ],
  [
    /^clazz\.leave\.\w+ .*\bcharge_hours$/,
    'the charge of the policy for one lesson, shown to the people who decide about the leave',
  ],
  [/^clazz\.leave\.quote absent_hours$/, 'the charge of the policy for one lesson'],
  [/^clazz\.hour\.receipt hours$/, 'on a receipt, which shows money and is for the family and supervisors only'],
  [/^stats\.[\w.]+ \w+(\[\])?\.hours_taught$/, 'the value of the lessons that were given'],
];

const DECIMAL = String.raw`^-?\d+\.\d{2}$`;
const OF_HOURS = /hours|balance|charge|consumed|granted|remaining|refunded|expir|owed/;
/** Similar names that are instants, numbers of days, titles or money. */
const OTHER_KINDS = /_at$|_minor$|^expires?_|_expires?_|next_expiry|_days$/;

/** The members of an answer that are decimals, or numbers named like hours: `items[].balance`. */
export const membersOf = (schema: z.ZodType): string[] => {
  const whole: unknown = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  const definitions = isJson(whole) && isJson(whole['$defs']) ? whole['$defs'] : {};
  const found = new Set<string>();
  const walk = (part: unknown, path: string, above: readonly unknown[]): void => {
    if (!isJson(part) || above.includes(part)) return;
    const deeper = [...above, part];
    const name = path.split('.').at(-1) ?? '';
    const isNumber = part['type'] === 'number' || part['type'] === 'integer';
    if (part['pattern'] === DECIMAL || (isNumber && OF_HOURS.test(name) && !OTHER_KINDS.test(name))) found.add(path);
    if (typeof part['$ref'] === 'string') walk(definitions[part['$ref'].split('/').at(-1) ?? ''], path, deeper);
    for (const options of [part['anyOf'], part['allOf'], part['oneOf']]) {
      if (Array.isArray(options)) for (const option of options) walk(option, path, deeper);
    }
    if (isJson(part['properties'])) {
      for (const [key, value] of Object.entries(part['properties']))
        walk(value, path === '' ? key : `${path}.${key}`, deeper);
    }
    walk(part['items'], `${path}[]`, deeper);
    walk(part['additionalProperties'], `${path}{}`, deeper);
  };
  walk(whole, '', []);
  return [...found];
};

/** The values of an answer at this path; rows about other students are skipped. */
const valuesAt = (answer: unknown, path: string, student_id: string): unknown[] => {
  let values = [answer];
  for (const step of path.split('.')) {
    const name = step.replace('[]', '');
    values = values.flatMap((value) => {
      const found = isJson(value) ? value[name] : undefined;
      return step.endsWith('[]') && Array.isArray(found) ? (found as unknown[]) : [found];
    });
    values = values.filter((value) => !isJson(value) || !('student_id' in value) || value['student_id'] === student_id);
  }
  return values.filter((value) => value !== undefined);
};

/** `shown`, `hidden`, or the members that differ from the others. */
export const hoursIn = (answer: unknown, members: readonly string[] | null, student_id: string): string => {
  if (members === null) return 'shown';
  const given = members.map((member) => ({ member, values: valuesAt(answer, member, student_id) }));
  const isShown = ({ values }: { values: unknown[] }): boolean => values.some((value) => value !== null);
  if (!given.some(isShown)) return 'hidden';
  const hidden = given.filter(({ values }) => values.length === 0 || values.includes(null));
  return hidden.length === 0 ? 'shown' : `hidden: ${hidden.map(({ member }) => member).join(', ')}`;
};

/** A person with a relation to the student `kid`, and whether they may see the account. */
export type Reader = readonly [relation: string, sub: string, roles: readonly Role[], seesHours: boolean];
export const READERS: readonly Reader[] = [
  ['a supervisor', 'boss', ['SUPERVISOR'], true],
  ['the lead teacher', 'lee', ['TEACHER'], true],
  ['an assistant', 'tim', ['TEACHER'], true],
  ['the substitute of one lesson', 'sue', ['TEACHER'], true],
  ['the lead of another class of the student', 'oda', ['TEACHER'], true],
  ['the lead of a class that the student left', 'pam', ['TEACHER'], true],
  ['a teacher who teaches others', 'una', ['TEACHER'], false],
  ['a former lead who gave no lesson', 'fay', ['TEACHER'], false],
  ['a former assistant', 'fred', ['TEACHER'], false],
  ['the student', 'kid', ['STUDENT'], true],
  ['the student, who is a teacher of others, too', 'kid', ['STUDENT', 'TEACHER'], true],
  ['a teacher with the id of the student', 'kid', ['TEACHER'], false],
  ['another student', 'sib', ['STUDENT'], false],
  ['a guardian of the student', 'mum', ['GUARDIAN'], true],
  ['a guardian who is a teacher of others, too', 'mum', ['GUARDIAN', 'TEACHER'], true],
  ['a guardian of another student', 'dad', ['GUARDIAN'], false],
];

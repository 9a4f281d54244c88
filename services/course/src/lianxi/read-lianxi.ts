import { Lianxi, lianxiCalls, LianxiRow, notFound, type Output } from '@teaching/contracts';
import {
  equalsAnyOf,
  notNull,
  containsKeyword,
  indexedDefault,
  instant,
  p,
  pagedList,
  twoStepHandler,
  type Session,
  statement,
} from '@teaching/kit';
import { lianxiAccess } from './assignment.ts';
import { clazzIdsOfRequestedStudents, clazzIdsOfCaller } from './lianxi-references.ts';
import { EFFECTIVE_TIMES, joinExtension } from './extend-lianxi.ts';
import { withoutKeys } from './lianxi.rules.ts';
import { LIANXI, LIANXI_NAMES, readLianxiNames } from './lianxi-rows.ts';
import { SUBMISSION } from './submission-rows.ts';

const SHOWN = LIANXI.contractColumns(Lianxi.omit({ due_at: true, closes_at: true }));
const READ_AS_STUDENT = statement(
  `select ${SHOWN.withAlias('l')}, ${EFFECTIVE_TIMES.due_at} as due_at, ${EFFECTIVE_TIMES.closes_at} as closes_at, ${LIANXI_NAMES.columns},
     l.key = 'after_release' and exists (select from submission s
       where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = $3 and s.status = 'released') as shows_keys
   from lianxi l ${joinExtension('$3')}
   where l.org_id = $1 and l.id = $2`,
  {
    ...SHOWN.shape,
    ...LIANXI.pick('due_at', 'closes_at').shape,
    ...LIANXI_NAMES.shape,
    shows_keys: notNull(p.boolean()),
  },
);

type LianxiResponse = Output<typeof lianxiCalls.getLianxi>;

const getForStaff = async (session: Session, id: string): Promise<LianxiResponse> => {
  const [it, names] = await Promise.all([session.find(LIANXI, id), readLianxiNames(session, id)]);
  if (it === undefined) throw notFound('Exercise');
  return { ...it, ...names };
};

const getForStudent = async (session: Session, id: string, clazz_ids: readonly string[]): Promise<LianxiResponse> => {
  const { user_id } = session.caller;
  const [access, found] = await Promise.all([
    lianxiAccess(session, id, user_id, clazz_ids),
    session.queryOne(READ_AS_STUDENT, session.org_id, id, user_id),
  ]);
  if (found === undefined || !session.access.allows({ member: access.canRead })) throw notFound('Exercise');
  const { shows_keys, ...it } = found;
  return shows_keys ? it : { ...it, content: withoutKeys(it.content) };
};

export const getLianxi = twoStepHandler(lianxiCalls.getLianxi, {
  prepare: (_input, session) => clazzIdsOfCaller(session),
  run: ({ path }, session, clazz_ids) =>
    session.access.isLimitedTo('member') ? getForStudent(session, path.id, clazz_ids) : getForStaff(session, path.id),
});

const LISTED = LIANXI.contractColumns(LianxiRow.omit({ due_at: true, closes_at: true }));

/** Begins the search at the student's own assignments, so that its cost does not depend on other exercises. */
const OWN = `join (select lianxi_id from lianxi_student where org_id = ? and student_id = ?
  union select id from lianxi where org_id = ? and clazz_id = any(?::uuid[])
  union select lianxi_id from submission where org_id = ? and student_id = ?) own on own.lianxi_id = l.id`;

/** The same for several students: exercises that one of them is assigned or handed in. */
const OF_STUDENTS = `join (select lianxi_id from lianxi_student where org_id = ? and student_id = any(?)
  union select id from lianxi where org_id = ? and clazz_id = any(?::uuid[])
  union select lianxi_id from submission where org_id = ? and student_id = any(?)) own on own.lianxi_id = l.id`;

/** The last attempt `a` of one student. */
const LAST_ATTEMPT = `left join lateral (
  select s.attempt, s.submitted_at, case when s.status = 'released' then s.score end as score
  from submission s where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = ?
  order by s.attempt desc limit 1) a on true`;

/** SQL of the columns that differ between lists for one student and others. */
const OF_ALL = {
  due_at: 'l.due_at',
  closes_at: 'l.closes_at',
  attempts: 'null::int',
  last_submitted_at: 'null::timestamptz',
  last_score: 'null::numeric',
};
const OF_ONE: typeof OF_ALL = {
  ...EFFECTIVE_TIMES,
  attempts: 'coalesce(a.attempt, 0)',
  last_submitted_at: 'a.submitted_at',
  last_score: 'a.score',
};

const listOf = <const J extends Record<string, string>>(columns: typeof OF_ALL, joins: J) =>
  pagedList({
    columns: [
      LISTED.withAlias('l'),
      ...Object.entries(columns).map(([name, sql]) => `${sql} as ${name}`),
      LIANXI_NAMES.columns,
    ].join(', '),
    shape: {
      ...LISTED.shape,
      ...LIANXI.pick('due_at', 'closes_at').shape,
      attempts: p.integer().nullable(),
      last_submitted_at: instant().nullable(),
      last_score: SUBMISSION.shape.score,
      ...LIANXI_NAMES.shape,
    },
    from: 'lianxi l',
    org: 'l.org_id',
    id: { by: 'l.id', type: 'uuid' },
    sorts: {
      title: { by: 'l.title', type: 'text' },
      due_at: { by: indexedDefault(columns.due_at, 'infinity'), type: 'timestamptz' },
      created_at: { by: 'l.created_at', type: 'timestamptz' },
      updated_at: { by: 'l.updated_at', type: 'timestamptz' },
    },
    where: {
      course_id: equalsAnyOf('l.course_id'),
      course_section_id: equalsAnyOf('l.course_section_id'),
      clazz_id: equalsAnyOf('l.clazz_id'),
      teacher_id: equalsAnyOf('l.teacher_id'),
      keyword: containsKeyword('l.search'),
    },
    joins,
  });
const forStaff = listOf(OF_ALL, { students: OF_STUDENTS });
const forStudents = listOf(OF_ONE, { own: OWN, extension: joinExtension('?'), attempt: LAST_ATTEMPT });

export const listLianxi = twoStepHandler(lianxiCalls.listLianxi, {
  prepare: ({ query }, session) =>
    clazzIdsOfRequestedStudents(session, session.access.requestedPeople(query.student_id)),
  run: async ({ query: { student_id: requested, ...query } }, session, clazz_ids) => {
    const { org_id, access } = session;
    const students = access.requestedPeople(requested);
    if (students === undefined) return forStaff(session, query, query);
    const ofStudents = (one: string | readonly string[]) => [org_id, one, org_id, clazz_ids, org_id, one];
    const [student_id] = students;
    // The times of an exercise with extensions and the last attempt are those of one student.
    return student_id !== undefined && students.length === 1
      ? forStudents(session, query, query, { own: ofStudents(student_id), extension: student_id, attempt: student_id })
      : forStaff(session, query, query, { students: ofStudents(students) });
  },
});

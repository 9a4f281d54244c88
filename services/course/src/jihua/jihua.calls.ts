import { isDeepStrictEqual } from 'node:util';
import { courseEvents, type jihuaCalls, JihuaFields, notFound } from '@teaching/contracts';
import {
  equalsAnyOf,
  notNull,
  bigint,
  containsKeyword,
  type Handler,
  localDate,
  newRecord,
  p,
  pagedList,
  requireUnused,
  saveChanged,
  type Session,
  statement,
} from '@teaching/kit';
import {
  firstDayOf,
  memberFields,
  namedMemberFields,
  readNamedMembers,
  readJihuaNames,
  replaceStudents,
  TEACHER_NAME,
} from './jihua-students.ts';
import { plannedDaysOf, isPastChanged, type Plan, requireDays, withFrozenGap, withPatch } from './jihua.rules.ts';
import { JIHUA, JIHUA_ROW, lockJihua, lockJihuaWithDays, toJihuaRow } from './jihua-rows.ts';

const CHECKED_IN = statement(
  'select count(*) as count, max(local_date) as last from daka where org_id = $1 and jihua_id = $2',
  { count: notNull(bigint()), last: p.date().nullable() },
);

/** The number of check-ins of a plan and the last day that has a check-in. */
const countCheckIns = async (session: Session, jihua_id: string): Promise<{ count: number; last: string | null }> =>
  (await session.queryOne(CHECKED_IN, session.org_id, jihua_id)) ?? { count: 0, last: null };

export const createJihua: Handler<typeof jihuaCalls.createJihua> = async ({ body }, session) => {
  const plan = JihuaFields.withDefaults(body, {});
  const teacher_id = session.caller.user_id;
  const created = { ...newRecord(session), teacher_id, ...plan, planned_dates: plannedDaysOf(plan) };
  requireDays(plan);
  const student_ids = body.student_ids ?? [];
  const fields = memberFields(
    student_ids.map((student_id) => ({ student_id, since: null })),
    plan.starts_on,
  );
  session.insert(JIHUA, created);
  session.emit(courseEvents.jihuaCreated, created.id, toJihuaRow(created));
  if (student_ids.length > 0) {
    replaceStudents(session, created.id, student_ids, null);
    session.emit(courseEvents.jihuaStudentsPut, created.id, { id: created.id, ...fields });
  }
  return { ...created, ...(await readJihuaNames(session, created)) };
};

const READ = statement(
  `select ${JIHUA.withAlias('j')}, ${TEACHER_NAME.columns},
     s.student_id is not null as is_mine, s.since
   from jihua j left join jihua_student s on s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = $3
   where j.org_id = $1 and j.id = $2`,
  { ...JIHUA.shape, ...TEACHER_NAME.shape, is_mine: notNull(p.boolean()), since: p.date().nullable() },
);

export const getJihua: Handler<typeof jihuaCalls.getJihua> = async ({ path }, session) => {
  const seesMembers = !session.access.isLimitedTo('member');
  const [found, members] = await Promise.all([
    session.queryOne(READ, session.org_id, path.id, session.caller.user_id),
    seesMembers ? readNamedMembers(session, path.id) : [],
  ]);
  if (found === undefined || !session.access.allows({ member: found.is_mine })) throw notFound('Plan');
  const { is_mine, since, ...it } = found;
  const own = is_mine ? { ...it, since: firstDayOf(since, it.starts_on) } : it;
  return { ...own, ...(seesMembers ? namedMemberFields(members, it.starts_on) : {}) };
};

const list = pagedList({
  columns: `${JIHUA_ROW.withAlias('j')}, ${TEACHER_NAME.columns}`,
  shape: { ...JIHUA_ROW.shape, ...TEACHER_NAME.shape },
  from: 'jihua j',
  bulky: true,
  org: 'j.org_id',
  id: { by: 'j.id', type: 'uuid' },
  sorts: {
    title: { by: 'j.title', type: 'text' },
    starts_on: { by: 'j.starts_on', type: 'date' },
    ends_on: { by: 'j.ends_on', type: 'date' },
    created_at: { by: 'j.created_at', type: 'timestamptz' },
    updated_at: { by: 'j.updated_at', type: 'timestamptz' },
  },
  where: { teacher_id: equalsAnyOf('j.teacher_id'), keyword: containsKeyword('j.search') },
  joins: {
    // One row for each plan, also when several of the students belong to it.
    student_id: {
      text: `join lateral (select from jihua_student x
        where x.org_id = j.org_id and x.jihua_id = j.id and x.student_id = any(?) limit 1) s on true`,
      one: 'join jihua_student s on s.org_id = j.org_id and s.jihua_id = j.id and s.student_id = ?',
    },
  },
});

export const listJihua: Handler<typeof jihuaCalls.listJihua> = async ({ query }, session) => {
  const { student_id, ...where } = query;
  return list(session, query, where, { student_id: session.access.requestedPeople(student_id) });
};

const rhythmOf = ({ starts_on, ends_on, zone, weekdays, rrule }: Plan) => [starts_on, ends_on, zone, weekdays, rrule];

export const updateJihua: Handler<typeof jihuaCalls.updateJihua> = async ({ path, body }, session) => {
  const { planned_dates: stored, ...it } = await lockJihuaWithDays(session, path.id);
  const patched = withPatch(it, body);
  const plan = withFrozenGap(it, patched, localDate(session.now, patched.zone));
  const isSameRhythm = isDeepStrictEqual(rhythmOf(it), rhythmOf(plan));
  // An older version may have computed other days, or none. They stay as long as the fields that determine them.
  const isSameCalendar = isSameRhythm && isDeepStrictEqual(it.frozen_dates, plan.frozen_dates);
  const planned_dates = isSameCalendar ? stored : plannedDaysOf(plan);
  if (!isSameRhythm) requireDays(plan);
  if (isPastChanged(it, plan, '')) {
    const { count } = await countCheckIns(session, it.id);
    requireUnused([{ what: 'daka', count }]);
  } else if (plan.ends_on < it.ends_on) {
    const { count, last } = await countCheckIns(session, it.id);
    if (isPastChanged(it, plan, last ?? '')) requireUnused([{ what: 'daka', count }]);
  }
  const answer = await saveChanged(session, it, { ...it, ...plan }, (after) => {
    session.update(JIHUA, { ...after, planned_dates });
    session.emit(courseEvents.jihuaUpdated, it.id, after);
  });
  return { ...answer, planned_dates, ...(await readJihuaNames(session, answer)) };
};

export const deleteJihua: Handler<typeof jihuaCalls.deleteJihua> = async ({ path }, session) => {
  const it = await lockJihua(session, path.id);
  const { count } = await countCheckIns(session, it.id);
  requireUnused([{ what: 'daka', count }]);
  session.remove(JIHUA, it.id);
  session.emit(courseEvents.jihuaDeleted, it.id, { id: it.id });
  return null;
};

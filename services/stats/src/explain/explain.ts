import { type Figure, Problem, type SourceRow, type statsCalls } from '@teaching/contracts';
import {
  atTime,
  type Caller,
  type Filter,
  type Handler,
  isStaff,
  isSupervisor,
  pagedList,
  type Session,
  statement,
} from '@teaching/kit';
import { GEN } from '../figures/sql.ts';
import { studentAsked } from '../my-lessons/my-lessons.ts';
import { rangeOf } from '../range/range.rules.ts';
import { teacherAsked } from '../teacher-detail/teacher-detail.ts';
import { peopleTaught } from './people.ts';
import { type SubjectKind, sourceOf } from './sources.ts';

type Row = Omit<SourceRow, 'clazz_name' | 'student_name'>;
interface Subject {
  kind: SubjectKind;
  id: string | undefined;
}

const refuse = (path: string, message: string): Problem =>
  new Problem('invalid_request', { errors: [{ path: `/query/${path}`, message }] });

/** Whose figure: the one named, else the caller's own; for a supervisor the organization's. */
const subjectOf = (
  caller: Caller,
  asked: { student_id?: string | undefined; teacher_id?: string | undefined; clazz_id?: string | undefined },
): Subject => {
  const { student_id, teacher_id, clazz_id } = asked;
  if (student_id !== undefined && teacher_id !== undefined) throw refuse('teacher_id', 'excludes student_id');
  if (student_id !== undefined || !isStaff(caller)) {
    if (teacher_id !== undefined) throw new Problem('forbidden', 'Students see their own statistics only');
    return { kind: 'student', id: studentAsked(caller, student_id) };
  }
  if (teacher_id !== undefined) return { kind: 'teacher', id: teacherAsked(caller, teacher_id) };
  if (clazz_id !== undefined) return { kind: 'clazz', id: clazz_id };
  return isSupervisor(caller) ? { kind: 'org', id: undefined } : { kind: 'teacher', id: caller.user_id };
};

/** One prepared list for each figure of each kind of subject, made when first asked. */
const made = new Map<string, ReturnType<typeof pagedList<Row, 'at'>>>();
const listOf = (figure: Figure, kind: SubjectKind) => {
  const source = sourceOf(figure, kind);
  if (source === null) throw refuse('figure', `is not a figure of a ${kind}`);
  const key = `${figure} ${kind}`;
  let list = made.get(key);
  if (list === undefined) {
    list = pagedList<Row, 'at'>({
      columns: source.columns,
      from: source.from,
      id: { by: source.sort.id, type: 'text' },
      sorts: { at: { by: source.sort.at, type: source.sort.type ?? 'timestamptz' } },
    });
    made.set(key, list);
  }
  return { source, list };
};

const NAMES = statement<{ id: string; name: string }>(`
  select id::text, name from clazz where org_id = $1 and gen = ${GEN} and id = any ($2::uuid[])
  union all
  select user_id, display_name from member where org_id = $1 and gen = ${GEN} and user_id = any ($3::text[])`);

/** Adds the names the directory knows. */
const named = async (session: Session, rows: readonly Row[]): Promise<SourceRow[]> => {
  const ids = (of: (row: Row) => string | null): string[] => [...new Set(rows.flatMap((row) => of(row) ?? []))];
  const found = await session.query(
    NAMES,
    session.org_id,
    ids((row) => row.clazz_id),
    ids((row) => row.student_id),
  );
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    ...row,
    clazz_name: names.get(row.clazz_id ?? '') ?? null,
    student_name: names.get(row.student_id ?? '') ?? null,
  }));
};

/** The records behind one figure, oldest first; what their `counts` add up to is the figure. */
export const explain: Handler<typeof statsCalls.explain> = async ({ query }, session) => {
  const { figure, clazz_id, limit, cursor } = query;
  const { kind, id } = subjectOf(session.caller, query);
  const range = rangeOf({ ...query, unit: 'month' }, session.now);
  const included = await session.includesWrite();
  if (figure === 'students' && kind === 'teacher' && id !== undefined) {
    const page = await peopleTaught(session, range, { teacher_id: id, clazz_id, limit, cursor });
    return { ...page, items: await named(session, page.items), figure, included };
  }
  const { source, list } = listOf(figure, kind);
  const at = source.at ?? 'l.starts_at';
  const filters: Filter[] = [
    [`${source.org}.org_id = ?`, session.org_id],
    [`${source.org}.gen = ${GEN}`],
    ...source.where.map((condition): Filter => [condition]),
    ...(source.subject === undefined ? [] : [[`${source.subject} = ?`, id] satisfies Filter]),
    ...(clazz_id === undefined || source.clazz === undefined
      ? []
      : [[`${source.clazz} = ?`, clazz_id] satisfies Filter]),
    ...(source.isNow === true ? [] : [[`${at} >= ? and ${at} < ?`, range.starts_at, range.ends_at] satisfies Filter]),
  ];
  const clock = source.isNow === true ? [atTime(session.now)] : [];
  const page = await list(session, { limit, cursor, sort: 'at' }, filters, clock);
  return { ...page, items: await named(session, page.items), figure, included };
};

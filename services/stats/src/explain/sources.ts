import type { Figure } from '@teaching/contracts';

/** Whose figure is explained. */
export type SubjectKind = 'student' | 'teacher' | 'clazz' | 'org';

/** The rows of a figure: what to select from, what to count, and which conditions hold. */
export interface Source {
  from: string;
  columns: string;
  where: readonly string[];
  /** It stands for the present: it knows no range, and its conditions may name `clock.now`. */
  isNow?: true;
  /** The instant that the range is compared with. */
  at?: string;
  /** Where rows are too many to be put in order of time, another column leads; an index has its order. */
  sort: { at: string; id: string; type?: 'text' };
  /** Column with the subject's id and with the class, for filters. */
  subject?: string;
  clazz?: string;
  /** `org_id` and `gen` of the row. */
  org: string;
}

const LESSON_OF = (alias: string): string =>
  `l.org_id = ${alias}.org_id and l.gen = ${alias}.gen and l.clazz_id = ${alias}.clazz_id`;
const MARK_OF = 'm.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id';
const COUNTS = "l.status in ('scheduled', 'held')";
const HELD = "l.status = 'held'";

interface Columns {
  source: string;
  id: string;
  counts?: string;
  at: string;
  clazz_id?: string;
  lesson_id?: string;
  student_id?: string;
  teacher_id?: string;
  state?: string;
  by?: string;
  done_at?: string;
  revision?: string;
}

/** Columns in the answer's order; what a source does not have is null. */
const columns = (it: Columns): string =>
  [
    `'${it.source}' as source`,
    `${it.id}::text as id`,
    `${it.counts ?? '1'} as counts`,
    `${it.at} as at`,
    ...(['clazz_id', 'lesson_id', 'student_id', 'teacher_id', 'state', 'by'] as const).map(
      (name) => `${it[name] ?? 'null'}::text as ${name}`,
    ),
    `${it.done_at ?? 'null::timestamptz'} as done_at`,
    `${it.revision ?? 'null::int'} as revision`,
  ].join(', ');

const LESSON_COLUMNS = { lesson_id: 'l.id', clazz_id: 'l.clazz_id', teacher_id: 'l.teacher_id', at: 'l.starts_at' };
const BY_LESSON = { at: 'l.starts_at', clazz: 'l.clazz_id', org: 'l' };

/** The lessons of a subject: found by the figures of a teacher, by the class, or by time. */
const lessonsOf = (kind: SubjectKind): { from: string; subject?: string } => {
  if (kind === 'teacher') {
    return {
      from: `clazz_figure as f join lesson as l on ${LESSON_OF('f')} and l.starts_at = f.at and l.teacher_id = f.teacher_id`,
      subject: 'f.teacher_id',
    };
  }
  if (kind === 'clazz') return { from: 'lesson as l', subject: 'l.clazz_id' };
  // States the condition of the index by time.
  return { from: '(select * from lesson where hours >= 0) as l' };
};

const lessons = (kind: SubjectKind, where: readonly string[], counts?: string): Source => {
  const { from, ...rest } = lessonsOf(kind);
  return {
    ...BY_LESSON,
    ...rest,
    from: `${from} left join roll_call as r on r.org_id = l.org_id and r.gen = l.gen and r.lesson_id = l.id`,
    columns: columns({
      ...LESSON_COLUMNS,
      source: 'lesson',
      id: 'l.id',
      ...(counts === undefined ? {} : { counts }),
      state: 'l.status',
      done_at: 'r.taken_at',
      revision: 'l.version',
    }),
    where,
    sort: { at: 'l.starts_at', id: 'l.id::text' },
  };
};

const marks = (kind: SubjectKind, where: readonly string[], counts?: string): Source => {
  const place =
    kind === 'student'
      ? {
          from: `mark as m join lesson as l on ${MARK_OF}`,
          subject: 'm.student_id',
          at: 'm.at',
          clazz: 'm.clazz_id',
          org: 'm',
        }
      : { ...lessonsOf(kind), from: `${lessonsOf(kind).from} join mark as m on ${MARK_OF}`, ...BY_LESSON };
  return {
    ...place,
    columns: columns({
      ...LESSON_COLUMNS,
      at: place.at,
      source: 'mark',
      id: "l.id || ' ' || m.student_id",
      ...(counts === undefined ? {} : { counts }),
      student_id: 'm.student_id',
      state: 'm.mark',
      by: 'm.marked_by',
      done_at: 'm.marked_at',
      revision: 'm.revision',
    }),
    where,
    sort: { at: place.at, id: "l.id || ' ' || m.student_id" },
  };
};

/** Places of students at lessons of classes they belong to, and of one student also those as a guest. */
const seats = (kind: SubjectKind, where: readonly string[]): Source => {
  const belongs = `${LESSON_OF('e')} and e.during @> l.starts_at`;
  const seat = `e.org_id, e.gen, e.student_id, l.id as lesson_id, l.clazz_id, l.starts_at, l.teacher_id, l.status`;
  const enrolled =
    kind === 'student'
      ? `select ${seat} from enrolment as e join lesson as l on ${belongs}
         union all
         select m.org_id, m.gen, m.student_id, l.id, m.clazz_id, m.at, l.teacher_id, l.status
         from mark as m join lesson as l on ${MARK_OF}
         where m.mark is not null and not exists (select from enrolment as e where e.org_id = m.org_id
           and e.gen = m.gen and e.student_id = m.student_id and e.clazz_id = m.clazz_id and e.during @> m.at)`
      : `select ${seat} from ${lessonsOf(kind).from} join enrolment as e on ${belongs}`;
  return {
    from: `(${enrolled}) as l left join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.lesson_id
      and m.student_id = l.student_id`,
    columns: columns({
      ...LESSON_COLUMNS,
      source: 'seat',
      id: "l.lesson_id || ' ' || l.student_id",
      lesson_id: 'l.lesson_id',
      student_id: 'l.student_id',
      state: 'coalesce(m.mark, l.status)',
      by: 'm.marked_by',
      done_at: 'm.marked_at',
      revision: 'm.revision',
    }),
    where: [COUNTS, ...where],
    ...BY_LESSON,
    ...(kind === 'org'
      ? {}
      : { subject: { student: 'l.student_id', teacher: 'l.teacher_id', clazz: 'l.clazz_id' }[kind] }),
    sort: { at: 'l.starts_at', id: "l.lesson_id || ' ' || l.student_id" },
  };
};

const acts = (table: 'marking' | 'leave', kind: SubjectKind): Source => {
  const [id, who, at] =
    table === 'marking' ? ['submission_id', 'marker_id', 'marked_at'] : ['id', 'decided_by', 'decided_at'];
  return {
    from: `${table} as a`,
    columns: columns({
      source: table,
      id: `a.${id}`,
      at: `a.${at}`,
      student_id: 'a.student_id',
      teacher_id: `a.${who}`,
      by: `a.${who}`,
      done_at: `a.${at}`,
      clazz_id: 'a.clazz_id',
      ...(table === 'marking' ? { revision: 'a.revision' } : { lesson_id: 'a.lesson_id', state: 'a.status' }),
    }),
    where: [`a.${who} is not null`],
    at: `a.${at}`,
    sort: { at: `a.${at}`, id: `a.${id}::text` },
    org: 'a',
    ...(kind === 'teacher' ? { subject: `a.${who}` } : {}),
    clazz: 'a.clazz_id',
  };
};

/** What a lesson cost stands with its mark, and is no entry here. */
const HOUR_ROWS = `(
  select 'entry' as source, id::text, org_id, gen, student_id, kind, amount, lesson_id, clazz_id, created_at as at
  from entry where kind not in ('consume', 'reverse')
  union all
  select 'mark', lesson_id || ' ' || student_id, org_id, gen, student_id, 'consume', -charged_hours, lesson_id, clazz_id,
    marked_at
  from mark where charged_hours <> 0
  union all
  select 'lot', id::text, org_id, gen, student_id, 'expired', -remaining, null, null, expires_at from lot
  where open and expires_at is not null
)`;
/** A lot that has run out takes away what the ledger still shows; entries are of the past anyway. */
const RAN_OUT = 'a.at <= clock.now';

const hours = (
  kind: SubjectKind,
  from: string,
  when: string,
  where: readonly string[] = [],
  counts = 'a.amount',
): Source => ({
  isNow: true,
  from: `${from} as a`,
  columns: columns({
    source: 'entry',
    id: 'a.id',
    counts,
    at: 'a.at',
    clazz_id: 'a.clazz_id',
    lesson_id: 'a.lesson_id',
    student_id: 'a.student_id',
    state: 'a.kind',
  }).replace("'entry' as source", 'a.source as source'),
  where: [when, ...where],
  // An org's entries are kept by student.
  sort:
    kind === 'org' && from === HOUR_ROWS
      ? { at: 'a.student_id', id: "a.at || ' ' || a.id", type: 'text' }
      : { at: 'a.at', id: 'a.id' },
  org: 'a',
  ...(kind === 'student' ? { subject: 'a.student_id' } : {}),
  clazz: 'a.clazz_id',
});

const LOT_ROWS = `(
  select 'lot' as source, id::text, org_id, gen, student_id, kind, remaining as amount, null::uuid as lesson_id,
    null::uuid as clazz_id, expires_at as at
  from lot
  where open and expires_at is not null
)`;
const SOON = "a.at > clock.now and a.at <= clock.now + interval '30 days'";

/** The rows of a figure of a subject; `null` when that kind of subject has no such figure. */
export const sourceOf = (figure: Figure, kind: SubjectKind): Source | null => {
  const one = kind === 'student';
  const marked = [COUNTS];
  switch (figure) {
    case 'scheduled':
      return one ? seats(kind, []) : lessons(kind, [COUNTS]);
    case 'held':
      return one ? seats(kind, [HELD]) : lessons(kind, [HELD]);
    case 'lessons_taught':
    case 'roll_calls':
      return one ? null : lessons(kind, [HELD]);
    case 'hours_taught':
      return one ? null : lessons(kind, [HELD], 'l.hours');
    case 'roll_calls_in_time':
      return one ? null : lessons(kind, [HELD, "r.taken_at <= l.ends_at + interval '24 hours'"]);
    case 'numerator':
      return marks(kind, [...marked, "m.mark in ('present', 'late')"]);
    case 'denominator':
      return marks(kind, [...marked, "m.mark in ('present', 'late', 'absent')"]);
    case 'hours_consumed':
      return marks(kind, ["l.status <> 'deleted'", 'm.charged_hours <> 0'], 'm.charged_hours');
    case 'unmarked':
      return seats(kind, ['m.mark is null']);
    case 'markings':
      return kind === 'teacher' || kind === 'org' ? acts('marking', kind) : null;
    case 'leave_handled':
      return kind === 'teacher' || kind === 'org' ? acts('leave', kind) : null;
    case 'granted':
      return one || kind === 'org' ? hours(kind, HOUR_ROWS, RAN_OUT, ["a.kind = 'grant'"]) : null;
    case 'consumed':
      if (one) return hours(kind, HOUR_ROWS, RAN_OUT, ["a.kind = 'consume'"], '-a.amount');
      // Those of an organization in order of their lessons, which an index has.
      return kind === 'org' ? { ...marks(kind, ['m.charged_hours <> 0'], 'm.charged_hours'), isNow: true } : null;
    case 'remaining':
      return one || kind === 'org' ? hours(kind, HOUR_ROWS, RAN_OUT) : null;
    case 'expiring_30d':
      return one || kind === 'org' ? hours(kind, LOT_ROWS, SOON) : null;
    // Listed apart: people, not seats.
    case 'students':
      break;
    case 'present':
    case 'late':
    case 'absent':
    case 'leave':
    case 'makeup':
    case 'trial':
      return marks(kind, [...marked, `m.mark = '${figure}'`]);
  }
  return null;
};

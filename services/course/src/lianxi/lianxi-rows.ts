import { type Lianxi, LianxiRow, notFound } from '@teaching/contracts';
import { notNull, hundredths, instant, nameColumns, p, type Row, type Session, statement, table } from '@teaching/kit';

export const LIANXI = table('lianxi', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  course_id: p.uuid(),
  course_section_id: p.uuid(),
  teacher_id: p.text(),
  title: p.text(),
  content: p.json<Lianxi['content']>(),
  question_count: p.integer(),
  total_points: hundredths(),
  due_at: instant().nullable(),
  closes_at: instant().nullable(),
  max_attempts: p.integer().nullable(),
  clazz_id: p.uuid().nullable(),
  release: p.text().$type<Lianxi['release']>(),
  key: p.text().$type<Lianxi['key']>(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** An exercise without its content, which is large. It is the payload of the exercise's events. */
export const toLianxiRow = <R extends Pick<Lianxi, 'content'>>({ content: _large, ...row }: R): Omit<R, 'content'> =>
  row;

/** The students that exercises are directly assigned to. */
export const LIANXI_STUDENT = table('lianxi_student', {
  org_id: p.uuid().primary(),
  lianxi_id: p.uuid().primary(),
  student_id: p.text().primary(),
});

const teacherName = nameColumns('l', 'teacher_id');

/** Columns with the names for the ids of an exercise `l`. */
export const LIANXI_NAMES = {
  columns: `${teacherName.columns},
    (select title from course where org_id = l.org_id and id = l.course_id) as course_title,
    (select title from course_section where org_id = l.org_id and id = l.course_section_id) as course_section_title`,
  shape: { ...teacherName.shape, course_title: notNull(p.text()), course_section_title: notNull(p.text()) },
};

const READ_NAMES = statement(
  `select ${LIANXI_NAMES.columns} from lianxi l where l.org_id = $1 and l.id = $2`,
  LIANXI_NAMES.shape,
);
const studentName = nameColumns('s', 'student_id');
const READ_STUDENTS = statement(
  `select s.student_id, ${studentName.columns} from lianxi_student s where s.org_id = $1 and s.lianxi_id = $2
   order by s.student_id`,
  { ...LIANXI_STUDENT.pick('student_id').shape, ...studentName.shape },
);

/** Reads the fields for staff that are not in the exercise's row: its students, and the names for its ids. */
export const readLianxiNames = async (session: Session, id: string) => {
  const [names, students] = await Promise.all([
    session.queryOne(READ_NAMES, session.org_id, id),
    session.query(READ_STUDENTS, session.org_id, id),
  ]);
  if (names === undefined) throw notFound('Exercise');
  return {
    ...names,
    student_ids: students.map(({ student_id }) => student_id),
    student_names: students.map(({ student_name }) => student_name),
  };
};

const LIANXI_ROW = LIANXI.contractColumns(LianxiRow);
const LOCK = statement(
  `select ${LIANXI_ROW.columns} from lianxi where org_id = $1 and id = $2 for update`,
  LIANXI_ROW.shape,
);

const requireChangeable = <R extends LianxiRow>(session: Session, found: R | undefined): R => {
  if (found === undefined) throw notFound('Exercise');
  session.access.requireOwner(found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

/**
 * Loads and locks an exercise without its content. Only its teacher and supervisors may change it (403). Honours
 * `If-Match`. Throws 404 if the exercise does not exist.
 */
export const lockLianxi = async (session: Session, id: string): Promise<LianxiRow> =>
  requireChangeable(session, await session.queryOne(LOCK, session.org_id, id));

/** Does the same as `lockLianxi`, but loads the content too. */
export const lockLianxiWithContent = async (session: Session, id: string): Promise<Row<typeof LIANXI>> =>
  requireChangeable(session, await session.lock(LIANXI, id));

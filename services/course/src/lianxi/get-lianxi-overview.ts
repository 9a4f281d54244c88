import { lianxiCalls, notFound } from '@teaching/contracts';
import { notNull, bigint, p, twoStepHandler, statement } from '@teaching/kit';
import { readAssignedStudents } from './assignment.ts';
import { studentIdsOfClazz } from './lianxi-references.ts';
import { LIANXI } from './lianxi-rows.ts';
import { meanOf, medianOf, studentsWithoutAttempt } from './overview.rules.ts';
import { SUBMISSION } from './submission-rows.ts';

const SETTINGS = LIANXI.pick('clazz_id', 'total_points');
const READ = statement(`select ${SETTINGS.columns} from lianxi where org_id = $1 and id = $2`, SETTINGS.shape);

/** SQL of the latest attempt of each student at an exercise. `org` and `lianxi` are parameters of the statement. */
const latestAttempts = (org: string, lianxi: string): string =>
  `select distinct on (student_id) student_id, score, points from submission
   where org_id = ${org} and lianxi_id = ${lianxi} order by student_id, attempt desc`;
const LATEST = statement(
  `select student_id, score from (${latestAttempts('$1', '$2')}) latest`,
  SUBMISSION.pick('student_id', 'score').shape,
);
/**
 * For each question: the number of latest attempts with full points, and with any points. `points` is keyed by question
 * id.
 */
const SHARES = statement(
  `with latest as materialized (${latestAttempts('$1', '$2')})
   select q.id, count(*) filter (where (a.points ->> q.id)::numeric = q.points) as numerator,
     count(a.points ->> q.id) as denominator
   from lianxi l
   cross join rows from (jsonb_to_recordset(l.content -> 'questions') as (id text, points numeric)) with ordinality q
   left join latest a on q.points > 0
   where l.org_id = $1 and l.id = $2 group by q.id, q.ordinality order by q.ordinality`,
  { id: notNull(p.text()), numerator: notNull(bigint()), denominator: notNull(bigint()) },
);

const NAMES = statement(
  `select (select display_name from member where org_id = $1 and user_id = s.id) as name
   from unnest($2::text[]) with ordinality as s(id, n) order by s.n`,
  { name: p.text().nullable() },
);

/**
 * The students of an exercise of a class are the current members of the class. They are read from the class service.
 */
export const getLianxiOverview = twoStepHandler(lianxiCalls.getLianxiOverview, {
  prepare: async ({ path }, session) => {
    const [it] = await session.peek(READ, session.org_id, path.id);
    if (it === undefined) throw notFound('Exercise');
    return { ...it, students: it.clazz_id === null ? undefined : await studentIdsOfClazz(session, it.clazz_id) };
  },
  run: async ({ path }, session, { students, total_points }) => {
    const [assigned, latest, shares] = await Promise.all([
      students ?? readAssignedStudents(session, path.id),
      session.query(LATEST, session.org_id, path.id),
      session.query(SHARES, session.org_id, path.id),
    ]);
    const missing = studentsWithoutAttempt(assigned, latest);
    const names = await session.query(NAMES, session.org_id, missing);
    const scores = latest.flatMap(({ score }) => score ?? []);
    return {
      lianxi_id: path.id,
      assigned: assigned.length,
      handed_in: latest.length,
      marked: scores.length,
      not_handed_in: missing,
      not_handed_in_names: names.map(({ name }) => name),
      mean: meanOf(scores),
      median: medianOf(scores),
      total_points,
      questions: shares.map(({ id, numerator, denominator }) => ({
        id,
        share_correct: denominator === 0 ? null : numerator / denominator,
        numerator,
        denominator,
      })),
    };
  },
});

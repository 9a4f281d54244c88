import { notFound, type statsCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { attendanceOf } from '../figures/attendance.rules.ts';
import { CLAZZ_SUMS, clazzTotals, sumsOfFigures } from '../figures/lessons-of-clazz.ts';
import { GEN } from '../figures/sql.ts';
import { seriesOf, Sums } from '../figures/tally.rules.ts';
import { CLAZZ } from '../records/clazz/table.ts';
import { studentsOfClazz } from './students-of-clazz.ts';
import { rangeAsked } from './asked.ts';
import { keptAnswer } from './kept-answers.ts';

const NAMED = statement(
  `select name from clazz where org_id = $1 and gen = ${GEN} and id = $2 and status <> 'deleted'`,
  CLAZZ.some('name').shape,
);
const FIGURES = sumsOfFigures('clazz_figure', [], 'and f.clazz_id = $5');

export const getClazzStats: Handler<typeof statsCalls.getClazzStats> = async ({ path, query }, session) => {
  const asked = await rangeAsked(query, session);
  const { range, included } = asked;
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  return keptAnswer(session, ['clazz', path.id], asked, async () => {
    const [clazz, figures, students] = await Promise.all([
      session.one(NAMED, session.org_id, path.id),
      session.query(FIGURES, session.org_id, range.starts_at, range.ends_at, bounds, path.id),
      studentsOfClazz(session, path.id, range),
    ]);
    if (clazz === undefined) throw notFound('Class');
    const sums = new Sums(CLAZZ_SUMS).add(figures);
    const answer = {
      clazz_id: path.id,
      name: clazz.name,
      clazz_name: clazz.name,
      range: range.asked,
      totals: clazzTotals(sums.total),
      attendance: attendanceOf(sums.total),
      students,
      series: seriesOf(range, sums, (tally) => ({ ...clazzTotals(tally), attendance: attendanceOf(tally) })),
      included,
    };
    return { answer, until: Infinity };
  });
};

import { createHash } from 'node:crypto';
import { notFound, type statsCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { attendanceOf } from '../figures/rates.rules.ts';
import { CLAZZ_SUMS, type ClazzSum, clazzTotals, sumsOfFigures } from '../figures/clazz-totals.ts';
import { CURRENT_GEN } from '../figures/sql-fragments.ts';
import { seriesOf, Sums, type Tally } from '../figures/tally.rules.ts';
import { CLAZZ } from '../records/clazz.ts';
import { studentsOfClazz } from './students-of-clazz.ts';
import { requestedRange } from './stats-request.ts';
import { cachedFigures } from './figure-cache.ts';
import {
  areAccountsVisible,
  isAccountVisible,
  READ_CLAZZ_MEMBERS,
  visibleTotals,
  visibleAccounts,
} from './visible-hours.ts';

const NAMED = statement(
  `select name from clazz where org_id = $1 and gen = ${CURRENT_GEN} and id = $2 and status <> 'deleted'`,
  CLAZZ.pick('name').shape,
);
const FIGURES = sumsOfFigures('clazz_figure', [], (clazz) => `and f.clazz_id = ${clazz}`);

/** A digest of a set of student ids. Equal sets have equal digests. */
const digestOf = (students: ReadonlySet<string>): string =>
  createHash('sha256')
    .update(JSON.stringify([...students].toSorted()))
    .digest('base64');

export const getClazzStats: Handler<typeof statsCalls.getClazzStats> = async ({ path, query }, session) => {
  const requested = await requestedRange(query, session);
  const { range, included } = requested;
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const accounts = await visibleAccounts(session);
  const hours = accounts === 'all' ? accounts : digestOf(accounts);
  return cachedFigures(session, ['clazz', path.id, hours], requested, async () => {
    const [clazz, figures, students, members] = await Promise.all([
      session.queryOne(NAMED, session.org_id, path.id),
      session.query(FIGURES, session.org_id, range.starts_at, range.ends_at, bounds, path.id),
      studentsOfClazz(session, path.id, range),
      accounts === 'all' ? [] : session.query(READ_CLAZZ_MEMBERS, session.org_id, path.id),
    ]);
    if (clazz === undefined) throw notFound('Class');
    const sums = new Sums(CLAZZ_SUMS).add(figures);
    const seesHours = areAccountsVisible(accounts, members);
    const totalsOf = (tally: Tally<ClazzSum>) => visibleTotals(clazzTotals(tally), seesHours);
    const answer = {
      clazz_id: path.id,
      name: clazz.name,
      clazz_name: clazz.name,
      range: range.request,
      totals: totalsOf(sums.total),
      attendance: attendanceOf(sums.total),
      students: students.map((student) => visibleTotals(student, isAccountVisible(accounts, student.student_id))),
      series: seriesOf(range, sums, (tally) => ({ ...totalsOf(tally), attendance: attendanceOf(tally) })),
      included,
    };
    return { answer };
  });
};

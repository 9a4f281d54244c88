import type { statsCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { attendanceOf } from '../figures/attendance.rules.ts';
import { hoursOfOrg } from '../figures/hours.ts';
import { CLAZZ_SUMS, clazzTotals, sumsOfFigures } from '../figures/lessons-of-clazz.ts';
import { GEN } from '../figures/sql.ts';
import { seriesOf, Sums, type Tally } from '../figures/tally.rules.ts';
import { rangeOf } from '../range/range.rules.ts';

const ORG_SUMS = [...CLAZZ_SUMS, 'markings', 'leave_handled'] as const;
const FIGURES = sumsOfFigures('org_figure', ORG_SUMS, '');

const NOW_ACTIVE = statement<{ clazzes_active: number; students_active: number }>(
  `select clazzes_active, students_active from org_account where org_id = $1 and gen = ${GEN}`,
);

const orgTotals = (tally: Tally<(typeof ORG_SUMS)[number]>) => ({
  ...clazzTotals(tally),
  markings: tally.markings,
  leave_handled: tally.leave_handled,
});

export const orgOverview: Handler<typeof statsCalls.orgOverview> = async ({ query }, session) => {
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const [figures, active, hours] = await Promise.all([
    session.query(FIGURES, session.org_id, range.starts_at, range.ends_at, bounds),
    session.one(NOW_ACTIVE, session.org_id),
    hoursOfOrg(session),
  ]);
  const sums = new Sums(ORG_SUMS).add(figures);
  return {
    range: range.asked,
    totals: orgTotals(sums.total),
    attendance: attendanceOf(sums.total),
    clazzes_active: active?.clazzes_active ?? 0,
    students_active: active?.students_active ?? 0,
    hours,
    series: seriesOf(range, sums, (tally) => ({ ...orgTotals(tally), attendance: attendanceOf(tally) })),
    included,
  };
};

import type { statsCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { attendanceOf, turnaroundOf } from '../figures/rates.rules.ts';
import { hoursOfOrg } from '../figures/hour-sums.ts';
import { CLAZZ_SUMS, type ClazzSum, clazzTotals, sumsOfFigures } from '../figures/clazz-totals.ts';
import { ORG_ACCOUNT } from '../figures/figures.table.ts';
import { CURRENT_GEN } from '../figures/sql-fragments.ts';
import { seriesOf, Sums, type Tally } from '../figures/tally.rules.ts';
import { requestedRange } from './stats-request.ts';

const WORK = ['markings', 'marking_seconds', 'leave_handled'] as const;
const FIGURES = sumsOfFigures('org_figure', WORK);

type OrgTally = Tally<ClazzSum | (typeof WORK)[number]>;
const totalsOf = ({ marking_seconds: _seconds, ...tally }: OrgTally) => clazzTotals(tally);
const ratesOf = (tally: OrgTally) => ({ attendance: attendanceOf(tally), marking_turnaround: turnaroundOf(tally) });

const ACTIVE = ORG_ACCOUNT.pick('clazzes_active', 'students_active');
const NOW_ACTIVE = statement(
  `select ${ACTIVE.columns} from org_account where org_id = $1 and gen = ${CURRENT_GEN}`,
  ACTIVE.shape,
);

export const getOrganizationStats: Handler<typeof statsCalls.getOrganizationStats> = async ({ query }, session) => {
  const { range, included, acquireHeavySlot } = await requestedRange(query, session);
  await acquireHeavySlot();
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const [figures, active, hours] = await Promise.all([
    session.query(FIGURES, session.org_id, range.starts_at, range.ends_at, bounds),
    session.queryOne(NOW_ACTIVE, session.org_id),
    hoursOfOrg(session),
  ]);
  const sums = new Sums([...CLAZZ_SUMS, ...WORK]).add(figures);
  return {
    range: range.request,
    totals: totalsOf(sums.total),
    ...ratesOf(sums.total),
    ...(active ?? { clazzes_active: 0, students_active: 0 }),
    hours,
    series: seriesOf(range, sums, (tally) => ({ ...totalsOf(tally), ...ratesOf(tally) })),
    included,
  };
};

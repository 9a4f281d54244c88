import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { hours, orgZone, percent } from '../shared/format.ts';
import type { Child } from './child.rules.ts';
import { common } from '../shared/common-texts.ts';
import { t } from './family-texts.ts';

/** The attendance and the used hours of this month, in one line. */
export const Figures = ({ child }: { child: Child }) => {
  const zone = orgZone();
  const { value } = useQuery(
    `figures ${child.id} ${zone}`,
    async (signal) =>
      (await api.getMyLessonStats({ query: { student_id: child.id, zone, unit: 'month' } }, { signal })).data,
    { kinds: ['roll_call', 'lesson', 'account'] },
  ).data;
  if (value === undefined) return <p class="small muted">{common.labelled(t.month, '…')}</p>;
  const { numerator, denominator, rate } = value.attendance;
  const { hours_consumed } = value.totals;
  return (
    <p class="small muted">
      {common.labelled(
        t.month,
        rate === null ? t.noAttendance : t.bracketed(t.attended(numerator, denominator), percent(rate)),
      )}
      {hours_consumed !== null && ` · ${t.used(hours(hours_consumed))}`}
    </p>
  );
};

import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { quarterOf } from '../../figures/sql.ts';
import { projection } from '../projection.ts';
import { LEAVE } from './table.ts';

export const leaves = projection(LEAVE, {
  keeps: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.leaveChanged).flatMap((event) =>
      event.data.leaves.map(({ make_up_lesson_id = null, ...leave }) => {
        return { ...leave, make_up_lesson_id, org_id: event.orgid, seq: sequenceOf(event) };
      }),
    ),
  store: (upsert) => `
    with stored as (
      ${upsert}
      returning new.org_id, new.decided_at, new.decided_by, old.decided_at as old_at, old.decided_by as old_by
    ), change as (
      select org_id, ${quarterOf('decided_at')} as at, 1 as handled
      from stored where decided_by is not null and decided_at is not null
      union all
      select org_id, ${quarterOf('old_at')}, -1 from stored where old_by is not null and old_at is not null
    )
    insert into org_figure (gen, org_id, at, leave_handled)
    select $1, org_id, at, sum(handled) from change group by org_id, at having sum(handled) <> 0
    on conflict (org_id, gen, at) do update set leave_handled = org_figure.leave_handled + excluded.leave_handled`,
});

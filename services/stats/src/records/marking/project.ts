import { courseEvents } from '@teaching/contracts';
import { eventsOf } from '@teaching/kit';
import { quarterOf } from '../../figures/sql.ts';
import { secondsOf } from '../../figures/turnaround.ts';
import { projection } from '../projection.ts';
import { MARKING } from './table.ts';

export const markings = projection(MARKING, {
  keeps: { lowest: 'revision' },
  states: (batch) =>
    eventsOf(batch, courseEvents.submissionMarked).map(({ orgid, data: { clazz_id = null, ...marking } }) => {
      return { ...marking, clazz_id, org_id: orgid };
    }),
  store: (upsert) => `
    with stored as (
      ${upsert}
      returning new.org_id, new.marked_at, ${secondsOf('new')} as seconds, old.marked_at as old_at,
        ${secondsOf('old')} as old_seconds
    ), change as (
      select org_id, ${quarterOf('marked_at')} as at, 1 as markings, seconds from stored
      union all
      select org_id, ${quarterOf('old_at')}, -1, -old_seconds from stored where old_at is not null
    )
    insert into org_figure (gen, org_id, at, markings, marking_seconds)
    select $1, org_id, at, sum(markings), sum(seconds) from change group by org_id, at
    on conflict (org_id, gen, at) do update set markings = org_figure.markings + excluded.markings,
      marking_seconds = org_figure.marking_seconds + excluded.marking_seconds`,
});

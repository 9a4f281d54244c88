import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { projection } from '../projection.ts';
import { CLAZZ } from './table.ts';

export const clazzes = projection(CLAZZ, {
  keeps: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.clazzChanged).map((event) => {
      const { clazz, change } = event.data;
      const status = change === 'deleted' ? 'deleted' : clazz.status;
      return { ...clazz, org_id: event.orgid, status, seq: sequenceOf(event) };
    }),
  store: (upsert) => `
    with stored as (
      ${upsert}
      returning new.org_id, (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
    )
    insert into org_account (gen, org_id, clazzes_active)
    select $1, org_id, sum(active) from stored group by org_id having sum(active) <> 0
    on conflict (org_id, gen) do update set clazzes_active = org_account.clazzes_active + excluded.clazzes_active`,
});

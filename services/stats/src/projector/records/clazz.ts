import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { bySeq, recordKind } from '../record-kind.ts';

interface ClazzRow {
  org_id: string;
  id: string;
  name: string;
  status: string;
  lead_teacher_id: string;
  seq: number;
}

export const clazzes = recordKind<ClazzRow>()({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    name: 'text',
    status: 'text',
    lead_teacher_id: 'text',
    seq: 'bigint',
  },
  key: ({ id }) => id,
  isLater: bySeq,
  states: (batch) =>
    eventsOf(batch, clazzEvents.clazzChanged).map((event) => {
      const { clazz, change } = event.data;
      const { id, name, lead_teacher_id } = clazz;
      const status = change === 'deleted' ? 'deleted' : clazz.status;
      return { org_id: event.orgid, id, name, status, lead_teacher_id, seq: sequenceOf(event) };
    }),
  store: ({ names, rows, replaced }) => `
    with stored as (
      insert into clazz (gen, ${names}) select $1, ${names} from ${rows}
      on conflict (org_id, gen, id) do update set ${replaced}
        where clazz.seq < excluded.seq
      returning new.org_id, (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
    )
    insert into org_account (gen, org_id, clazzes_active)
    select $1, org_id, sum(active) from stored group by org_id having sum(active) <> 0
    on conflict (org_id, gen) do update set clazzes_active = org_account.clazzes_active + excluded.clazzes_active`,
});

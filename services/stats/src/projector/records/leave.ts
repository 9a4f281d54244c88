import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { quarterOf } from '../../figures/sql.ts';
import { bySeq, recordKind } from '../record-kind.ts';

interface LeaveRow {
  org_id: string;
  id: string;
  clazz_id: string;
  lesson_id: string;
  student_id: string;
  status: string;
  in_time: boolean;
  requested_at: string;
  decided_by: string | null;
  decided_at: string | null;
  make_up_lesson_id: string | null;
  seq: number;
}

export const leaves = recordKind<LeaveRow>()({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    clazz_id: 'uuid',
    lesson_id: 'uuid',
    student_id: 'text',
    status: 'text',
    in_time: 'boolean',
    requested_at: 'timestamptz',
    decided_by: 'text',
    decided_at: 'timestamptz',
    make_up_lesson_id: 'uuid',
    seq: 'bigint',
  },
  key: ({ id }) => id,
  isLater: bySeq,
  states: (batch) =>
    eventsOf(batch, clazzEvents.leaveChanged).flatMap((event) =>
      event.data.leaves.map(({ make_up_lesson_id = null, ...leave }) => {
        return { ...leave, make_up_lesson_id, org_id: event.orgid, seq: sequenceOf(event) };
      }),
    ),
  store: ({ names, rows, replaced }) => `
    with stored as (
      insert into leave (gen, ${names}) select $1, ${names} from ${rows}
      on conflict (org_id, gen, id) do update set ${replaced} where leave.seq < excluded.seq
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

import { clazzEvents, LEAVE_STATUSES } from '@teaching/contracts';
import { notNull, bigint, eventsOf, instant, p, sequenceOf, table } from '@teaching/kit';
import { quarterOf } from '../figures/sql-fragments.ts';
import { type Explanation, explanation } from './explanation.ts';
import { projection } from './projection.ts';
import { columnsOf, type ExplanationSource } from './source.ts';

const LEAVE = table('leave', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  lesson_id: p.uuid(),
  student_id: p.text(),
  status: p.enum(LEAVE_STATUSES),
  in_time: p.boolean(),
  requested_at: instant(),
  decided_by: p.text().nullable(),
  decided_at: instant().nullable(),
  seq: bigint(),
  make_up_lesson_id: p.uuid().nullable(),
});

export const leaves = projection(LEAVE, {
  mergeRule: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.leaveChanged).flatMap((event) =>
      event.data.leaves.map(({ make_up_lesson_id = null, ...leave }) => {
        return { ...leave, make_up_lesson_id, org_id: event.orgid, seq: sequenceOf(event) };
      }),
    ),
  store: (upsert, gen) => `
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
    select ${gen}, org_id, at, sum(handled) from change group by org_id, at having sum(handled) <> 0
    on conflict (org_id, gen, at) do update set leave_handled = org_figure.leave_handled + excluded.leave_handled`,
});

const a = columnsOf('a', LEAVE);

/** Decided leave. Its time is that of the last decision. */
const DECIDED: ExplanationSource = {
  from: 'leave as a',
  select: {
    source: ["'leave'", notNull(p.text().$type<'leave'>())],
    id: ['a.id::text', notNull(p.text())],
    at: a('decided_at'),
    clazz_id: a('clazz_id'),
    lesson_id: a('lesson_id'),
    student_id: a('student_id'),
    teacher_id: a('decided_by'),
    state: a('status'),
    by: a('decided_by'),
    done_at: a('decided_at'),
  },
  where: ['a.decided_by is not null'],
  at: 'a.decided_at',
  clazz: 'a.clazz_id',
  org: 'a',
  sort: { by: 'a.decided_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
};

export const leaveExplanations: readonly Explanation[] = [
  explanation('leave_handled', 'teacher', { ...DECIDED, subject: 'a.decided_by' }),
  explanation('leave_handled', 'org', DECIDED),
];

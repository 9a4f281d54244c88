import { clazzEvents } from '@teaching/contracts';
import { always, eventsOf, instant, p, type Received, sequenceOf } from '@teaching/kit';
import { projection } from '../projection.ts';
import { rollCallsTold } from '../roll-calls-told.ts';
import { LESSON } from './table.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';
/** Known even when nothing else about the lesson ever arrived. */
const GONE = {
  teacher_id: '-',
  starts_at: EPOCH,
  ends_at: EPOCH,
  hours: '0.00',
  status: 'deleted',
  version: 0,
} as const;

function* states(batch: readonly Received[]) {
  for (const event of eventsOf(batch, clazzEvents.lessonChanged)) {
    const common = { org_id: event.orgid, seq: sequenceOf(event) };
    for (const lesson of event.data.lessons) yield { ...lesson, ...common };
  }
  for (const { lesson, org_id, seq } of rollCallsTold(batch)) yield { ...lesson, org_id, seq };
  for (const event of eventsOf(batch, clazzEvents.lessonDeleted)) {
    const { clazz_id, lesson_ids } = event.data;
    const common = { ...GONE, org_id: event.orgid, clazz_id, seq: sequenceOf(event) };
    for (const id of lesson_ids) yield { ...common, id };
  }
}

const isOut = (lesson: string): string => `${lesson}.status in ('cancelled', 'deleted')`;

export const lessons = projection(LESSON, {
  keeps: { highest: 'seq' },
  states,
  // Where a changed lesson counts now, and where it counted before.
  store: (upsert) => `
    with stored as (
      ${upsert}
      returning new.org_id, new.id, new.clazz_id, new.starts_at, new.teacher_id, ${isOut('new')} as is_out,
        old.clazz_id as old_clazz_id, old.starts_at as old_at, old.teacher_id as old_teacher_id, ${isOut('old')} as was_out
    )
    select org_id, id, clazz_id, starts_at as at, teacher_id,
      old_at is not null and (clazz_id, starts_at, is_out) is distinct from (old_clazz_id, old_at, was_out) as moved
    from stored
    union all
    select org_id, id, old_clazz_id, old_at, old_teacher_id, false from stored where old_at is not null`,
  shape: {
    org_id: always(p.uuid()),
    id: always(p.uuid()),
    clazz_id: always(p.uuid()),
    at: always(instant()),
    teacher_id: always(p.text()),
    moved: always(p.boolean()),
  },
  touched: (_told, changed) => ({
    moments: [...changed],
    moved: changed.filter(({ moved }) => moved).map(({ org_id, id }) => ({ org_id, lesson_id: id })),
  }),
});

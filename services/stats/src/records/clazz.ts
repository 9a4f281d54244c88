import { CLAZZ_STATUSES, clazzEvents } from '@teaching/contracts';
import { notNull, bigint, eventsOf, instant, p, sequenceOf, table } from '@teaching/kit';
import { type Explanation, explanation } from './explanation.ts';
import { projection } from './projection.ts';
import { columnsOf, type ExplanationSource } from './source.ts';

export const CLAZZ = table('clazz', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  status: p.enum([...CLAZZ_STATUSES, 'deleted']),
  lead_teacher_id: p.text(),
  seq: bigint(),
});

export const clazzes = projection(CLAZZ, {
  mergeRule: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.clazzChanged).map((event) => {
      const { clazz, change } = event.data;
      const status = change === 'deleted' ? 'deleted' : clazz.status;
      return { ...clazz, org_id: event.orgid, status, seq: sequenceOf(event) };
    }),
  store: (upsert, gen) => `
    with stored as (
      ${upsert}
      returning new.org_id, (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
    )
    insert into org_account (gen, org_id, clazzes_active)
    select ${gen}, org_id, sum(active) from stored group by org_id having sum(active) <> 0
    on conflict (org_id, gen) do update set clazzes_active = org_account.clazzes_active + excluded.clazzes_active`,
});

const a = columnsOf('a', CLAZZ);

const ACTIVE: ExplanationSource = {
  from: 'clazz as a',
  select: {
    source: ["'clazz'", notNull(p.text().$type<'clazz'>())],
    id: ['a.id::text', notNull(p.text())],
    at: ['clock.now', notNull(instant())],
    clazz_id: a('id'),
    teacher_id: a('lead_teacher_id'),
    state: a('status'),
  },
  where: ["a.status = 'active'"],
  org: 'a',
  sort: { by: 'a.id', type: 'uuid', id: 'a.id', idType: 'uuid' },
};

/** Explanations by classes: the classes that are active now. */
export const clazzExplanations: readonly Explanation[] = [explanation('clazzes_active', 'org', ACTIVE)];

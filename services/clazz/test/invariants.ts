import type { Fixture } from '../../../tools/proofs/test/fixture.ts';

/** Every event of the service, numbered or not. */
const EVENTS = '(select type, data, org_id, tx_id, aggregate_id, seq as position from clazz.log_entry)';

/** Each statement finds rows that violate the invariant, in all organizations. No rows mean a consistent ledger. */
const INVARIANTS = {
  'a balance is the sum of its entries': `
    select a.student_id from clazz.hour_account a
    left join (select org_id, student_id, sum(amount) as total from clazz.hour_entry group by 1, 2) e
      using (org_id, student_id)
    where a.balance <> coalesce(e.total, 0)`,
  'the sums of an account are the sums of its entries': `
    select a.student_id from clazz.hour_account a
    left join (select org_id, student_id,
      coalesce(sum(amount) filter (where kind = 'reverse' and lesson_id is null or kind = 'grant'), 0) as grant,
      ${['adjust', 'transfer_in', 'transfer_out', 'refund', 'expire']
        .map((kind) => `coalesce(sum(amount) filter (where kind = '${kind}'), 0) as ${kind}`)
        .join(', ')}
      from clazz.hour_entry group by 1, 2) e using (org_id, student_id)
    where (a.granted, a.adjusted, a.transferred_in, -a.transferred_out, -a.refunded, -a.expired) is distinct from
        (coalesce(e.grant, 0), coalesce(adjust, 0), coalesce(transfer_in, 0), coalesce(transfer_out, 0),
         coalesce(refund, 0), coalesce(expire, 0))`,
  'the remaining hours of a lot are the sum of its entries': `
    select l.id from clazz.hour_lot l
    left join (select org_id, lot_id, sum(amount) as total from clazz.hour_entry group by 1, 2) e
      on e.org_id = l.org_id and e.lot_id = l.id
    where l.remaining <> coalesce(e.total, 0)`,
  'a balance is the remaining hours of all lots minus the debts': `
    select a.student_id from clazz.hour_account a
    where a.balance <> (select coalesce(sum(l.remaining), 0) from clazz.hour_lot l
        where l.org_id = a.org_id and l.student_id = a.student_id)
      - (select coalesce(sum(d.amount), 0) from clazz.hour_draw d
        where d.org_id = a.org_id and d.student_id = a.student_id and d.lot_id is null)`,
  'the charge of a mark is the sum of its entries': `
    with mark as (
      select distinct on (org_id, lesson_id, student_id) org_id, lesson_id, student_id, charged_hours
      from clazz.mark_revision order by org_id, lesson_id, student_id, revision desc
    ), moved as (
      select org_id, lesson_id, student_id, sum(amount) as total from clazz.hour_entry
      where lesson_id is not null group by 1, 2, 3
    )
    select lesson_id, student_id from mark full join moved using (org_id, lesson_id, student_id)
    where coalesce(charged_hours, 0) <> -coalesce(total, 0)`,
  'the charge of a mark is the sum of its draws': `
    with mark as (
      select distinct on (org_id, lesson_id, student_id) org_id, lesson_id, student_id, charged_hours
      from clazz.mark_revision order by org_id, lesson_id, student_id, revision desc
    ), draws as (
      select org_id, lesson_id, student_id, lot_id, amount from clazz.hour_draw where lesson_id is not null
      union all select org_id, lesson_id, student_id, lot_id, -amount from clazz.hour_entry e
      where kind = 'consume' and lot_id is not null
        and not exists (select from clazz.hour_draw d where (d.org_id, d.lesson_id, d.student_id, d.lot_id)
          = (e.org_id, e.lesson_id, e.student_id, e.lot_id))
        and not exists (select from clazz.hour_entry r where r.kind = 'reverse'
          and (r.org_id, r.lesson_id, r.student_id, r.mark_revision, r.lot_id)
            = (e.org_id, e.lesson_id, e.student_id, e.mark_revision, e.lot_id))
    ), drawn as (
      select org_id, lesson_id, student_id, sum(amount) as total from draws group by 1, 2, 3
    )
    select lesson_id, student_id from mark full join drawn using (org_id, lesson_id, student_id)
    where coalesce(charged_hours, 0) <> coalesce(total, 0)`,
  'a student with a debt has no remaining hours for any course that are valid for it': `
    select l.student_id from clazz.hour_lot l join clazz.hour_draw d using (org_id, student_id)
    left join clazz.lesson n on n.org_id = d.org_id and n.id = d.lesson_id
    where d.lot_id is null and l.remaining > 0 and l.course_id is null
      and (l.expires_at is null or n.starts_at is null or l.expires_at > n.starts_at)`,
  'a lesson with marks is not scheduled': `
    select l.id from clazz.lesson l join clazz.mark_revision m on m.org_id = l.org_id and m.lesson_id = l.id
    where l.status = 'scheduled' and m.mark is not null and not exists (select from clazz.mark_revision later
      where (later.org_id, later.lesson_id, later.student_id, later.revision - 1)
        = (m.org_id, m.lesson_id, m.student_id, m.revision))`,
  'an entry is published in one event': `
    with published as (
      select e ->> 'id' as id, count(*) as times
      from ${EVENTS} as o, json_array_elements(o.data -> 'accounts') a, json_array_elements(a -> 'entries') e
      where o.type = 'clazz.hours.moved.v2' group by 1
    )
    select h.id, t.times from clazz.hour_entry h full join published t on t.id = h.id::text
    where h.id is null or t.times is distinct from 1`,
  'a mark revision is published in one event': `
    with published as (
      select l -> 'lesson' ->> 'id' as lesson_id, m ->> 'student_id' as student_id,
        (m ->> 'revision')::int as revision, count(*) as times
      from ${EVENTS} as o, json_array_elements(o.data -> 'lessons') l, json_array_elements(l -> 'marks') m
      where o.type = 'clazz.roll_call.recorded.v2' group by 1, 2, 3
    )
    select m.lesson_id, m.student_id, m.revision from clazz.mark_revision m
    full join published t on t.lesson_id = m.lesson_id::text and t.student_id = m.student_id and t.revision = m.revision
    where m.lesson_id is null or t.times is distinct from 1`,
  'a transaction publishes each type once for an aggregate': `
    select tx_id, aggregate_id, type, count(*) as times from ${EVENTS} as o group by 1, 2, 3 having count(*) > 1`,
  'the last event of an account has its figures': `
    with published as (
      select distinct on (o.org_id, a ->> 'student_id') o.org_id, a ->> 'student_id' as student_id,
        (a ->> 'balance')::numeric as balance, (a ->> 'granted')::numeric as granted, (a ->> 'consumed')::numeric as consumed
      from ${EVENTS} as o, json_array_elements(o.data -> 'accounts') a
      where o.type = 'clazz.hours.moved.v2' order by o.org_id, a ->> 'student_id', o.position desc
    )
    select h.student_id from clazz.hour_account h left join published t using (org_id, student_id)
    where h.last_seq is not null
      and (t.balance, t.granted, t.consumed) is distinct from (h.balance, h.granted, h.consumed)`,
} as const;

/** The invariants that the fixture's database violates, each with its rows. */
export const brokenInvariants = async (fixture: Fixture): Promise<{ invariant: string; rows: unknown[] }[]> => {
  const broken: { invariant: string; rows: unknown[] }[] = [];
  for (const [invariant, sql] of Object.entries(INVARIANTS)) {
    const rows = await fixture.sql(sql);
    if (rows.length > 0) broken.push({ invariant, rows });
  }
  return broken;
};

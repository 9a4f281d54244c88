import { HOURS } from '../entry/explain.ts';
import { type Explained, explained, type Source } from '../explained.ts';
import { LOT } from './table.ts';

/** Lots that run out within 30 days. */
const EXPIRING: Source = {
  ...HOURS,
  select: { ...HOURS.select, at: ['a.at', LOT.shape.expires_at] },
  from: `(
    select 'lot' as source, id::text, org_id, gen, student_id, kind, remaining as amount, null::uuid as lesson_id,
      null::uuid as clazz_id, expires_at as at
    from lot where open and expires_at is not null
  ) as a`,
  where: ["a.at > clock.now and a.at <= clock.now + interval '30 days'"],
};

export const explainedByLots: readonly Explained[] = [
  explained('expiring_30d', 'student', { ...EXPIRING, subject: 'a.student_id' }),
  explained('expiring_30d', 'org', EXPIRING),
];

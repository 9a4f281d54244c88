import { clazzEvents } from '@teaching/contracts';
import { eventsOf } from '@teaching/kit';
import { HOUR_SUMS, KIND_SUMS, SUMS_BY_KIND } from '../../figures/hours.ts';
import { DIFFERENCE, moveOrg, TOLD_SUMS } from '../../figures/move-org-account.ts';
import { projection } from '../projection.ts';
import { ENTRY } from './table.ts';

const zeros = (names: readonly string[]): string => names.map((name) => `0 as ${name}`).join(', ');
/** By how much accounts moved, and the entries of each kind. */
const ALL_SUMS = `
  select org_id, ${TOLD_SUMS.join(', ')}, ${zeros(KIND_SUMS)} from moved
  union all
  select org_id, ${zeros(TOLD_SUMS)}, ${SUMS_BY_KIND} from stored group by org_id`;

/**
 * The first version of the event does not tell sums, so they are counted up from its entries, each when it is
 * stored for the first time, as long as no later event has told the account's state (0: none has).
 */
export const entriesWithoutSums = projection(ENTRY, {
  keeps: 'first',
  states: (batch) =>
    eventsOf(batch, clazzEvents.hoursMoved).flatMap(({ orgid: org_id, data: { student_id, entries: told } }) =>
      told.map((entry) => ({ ...entry, org_id, student_id })),
    ),
  store: (upsert) => `
    with stored as (
      ${upsert} returning org_id, student_id, kind, amount
    ), moved as (
      insert into account (gen, org_id, student_id, granted, consumed, balance, seq)
      select $1, org_id, student_id, ${HOUR_SUMS}, 0 from stored group by org_id, student_id
      on conflict (student_id, org_id, gen) do update set granted = account.granted + excluded.granted,
        consumed = account.consumed + excluded.consumed, balance = account.balance + excluded.balance
        where account.seq = 0
      returning new.org_id, ${DIFFERENCE}
    ) ${moveOrg(ALL_SUMS, [...TOLD_SUMS, ...KIND_SUMS])}`,
});

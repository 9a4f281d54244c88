import { clazzEvents, type EventData } from '@teaching/contracts';
import { eventsOf, type Received } from '@teaching/kit';
import { KIND_SUMS, SUMS_BY_KIND } from '../../figures/hours.ts';
import { moveOrg } from '../../figures/move-org-account.ts';
import { projection } from '../projection.ts';
import { ENTRY } from './table.ts';

type Entry = EventData<typeof clazzEvents.accountsMoved>['accounts'][number]['entries'][number];

/** What a lesson cost is known from its mark, and not stored once more. */
const isCharge = ({ kind }: Entry): boolean => kind === 'consume' || kind === 'reverse';

function* states(batch: readonly Received[]) {
  for (const { orgid: org_id, data } of eventsOf(batch, clazzEvents.accountsMoved)) {
    const { created_at } = data;
    for (const { student_id, entries: told } of data.accounts) {
      for (const { lesson_id = null, clazz_id = null, ...entry } of told) {
        if (!isCharge(entry)) yield { ...entry, lesson_id, clazz_id, org_id, student_id, created_at };
      }
    }
  }
}

/** Entries but for charges, of events that tell sums, too: those of each kind are added for the organization. */
export const entries = projection(ENTRY, {
  keeps: 'first',
  states,
  store: (upsert) => `
    with stored as (${upsert} returning org_id, kind, amount)
    ${moveOrg(`select org_id, ${SUMS_BY_KIND} from stored group by org_id`, KIND_SUMS)}`,
});

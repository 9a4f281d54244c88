import { clazzEvents } from '@teaching/contracts';
import { eventsOf, type Received, sequenceOf } from '@teaching/kit';
import { projection } from '../projection.ts';
import { LOT } from './table.ts';

function* states(batch: readonly Received[]) {
  const told = [
    ...eventsOf(batch, clazzEvents.hoursMoved).map((event) => ({ event, accounts: [event.data] })),
    ...eventsOf(batch, clazzEvents.accountsMoved).map((event) => ({ event, accounts: event.data.accounts })),
  ];
  for (const { event, accounts } of told) {
    const common = { org_id: event.orgid, seq: sequenceOf(event) };
    for (const { student_id, lots: moved } of accounts) {
      for (const lot of moved) if (lot.expires_at !== null) yield { ...lot, ...common, student_id };
    }
  }
}

export const lots = projection(LOT, { keeps: { highest: 'seq' }, states });

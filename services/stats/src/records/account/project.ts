import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { projection } from '../projection.ts';
import { DIFFERENCE, moveOrg, TOLD_SUMS } from '../../figures/move-org-account.ts';
import { ACCOUNT } from './table.ts';

export const accounts = projection(ACCOUNT, {
  keeps: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.accountsMoved).flatMap((event) =>
      event.data.accounts.map((account) => ({ ...account, org_id: event.orgid, seq: sequenceOf(event) })),
    ),
  store: (upsert) =>
    `with moved as (${upsert} returning new.org_id, ${DIFFERENCE}) ${moveOrg('select * from moved', TOLD_SUMS)}`,
});

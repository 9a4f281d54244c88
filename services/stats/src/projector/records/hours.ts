import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { HOUR_SUMS } from '../../figures/hours.ts';
import { bySeq, recordKind } from '../record-kind.ts';

interface EntryRow {
  org_id: string;
  id: string;
  student_id: string;
  kind: string;
  lot_id: string | null;
  amount: string;
  lesson_id: string | null;
  clazz_id: string | null;
  created_at: string;
}

interface LotRow {
  org_id: string;
  id: string;
  student_id: string;
  kind: string;
  granted: string;
  remaining: string;
  expires_at: string | null;
  seq: number;
}

/** Entries never change, so each counts exactly when it is stored for the first time. */
export const entries = recordKind<EntryRow>()({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    student_id: 'text',
    kind: 'text',
    lot_id: 'uuid',
    amount: 'numeric',
    lesson_id: 'uuid',
    clazz_id: 'uuid',
    created_at: 'timestamptz',
  },
  key: ({ id }) => id,
  isLater: () => false,
  states: (batch) =>
    eventsOf(batch, clazzEvents.hoursMoved).flatMap(({ orgid, data }) =>
      data.entries.map((entry) => ({ ...entry, org_id: orgid, student_id: data.student_id })),
    ),
  store: ({ names, rows }) => `
    with stored as (
      insert into entry (gen, ${names}) select $1, ${names} from ${rows}
      on conflict do nothing returning org_id, kind, amount
    )
    insert into org_account (gen, org_id, granted, consumed, balance)
    select $1, org_id, ${HOUR_SUMS} from stored group by org_id
    on conflict (org_id, gen) do update set granted = org_account.granted + excluded.granted,
      consumed = org_account.consumed + excluded.consumed, balance = org_account.balance + excluded.balance`,
});

/** Lots that run out one day; of others no answer needs more than their entries. */
export const lots = recordKind<LotRow>()({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    student_id: 'text',
    kind: 'text',
    granted: 'numeric',
    remaining: 'numeric',
    expires_at: 'timestamptz',
    seq: 'bigint',
  },
  key: ({ id }) => id,
  isLater: bySeq,
  states: (batch) =>
    eventsOf(batch, clazzEvents.hoursMoved).flatMap((event) => {
      const common = { org_id: event.orgid, student_id: event.data.student_id, seq: sequenceOf(event) };
      return event.data.lots.filter(({ expires_at }) => expires_at !== null).map((lot) => ({ ...lot, ...common }));
    }),
  store: ({ names, rows, replaced }) => `
    insert into lot (gen, ${names}) select $1, ${names} from ${rows}
    on conflict (org_id, gen, id) do update set ${replaced} where lot.seq < excluded.seq`,
});

import { clazzEvents } from '@teaching/contracts';
import {
  notNull,
  bigint,
  eventsOf,
  hundredths,
  instant,
  p,
  type ReceivedEvent,
  sequenceOf,
  table,
} from '@teaching/kit';
import { type Explanation, explanation } from './explanation.ts';
import { projection } from './projection.ts';
import { columnsOf, type ExplanationSource } from './source.ts';

/** Lots of hours with an expiry. Lots without one are not stored, because the account's sums contain them. */
const LOT = table('lot', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  student_id: p.text(),
  kind: p.text(),
  remaining: hundredths(),
  expires_at: instant().nullable(),
  seq: bigint(),
  open: p.boolean().nullable().persist(false).hidden(),
});

function* states(batch: readonly ReceivedEvent[]) {
  const movements = [
    ...eventsOf(batch, clazzEvents.hoursMoved).map((event) => ({ event, accounts: [event.data] })),
    ...eventsOf(batch, clazzEvents.accountsMoved).map((event) => ({ event, accounts: event.data.accounts })),
  ];
  for (const { event, accounts } of movements) {
    const common = { org_id: event.orgid, seq: sequenceOf(event) };
    for (const { student_id, lots: moved } of accounts) {
      for (const lot of moved) if (lot.expires_at !== null) yield { ...lot, ...common, student_id };
    }
  }
}

export const lots = projection(LOT, { mergeRule: { highest: 'seq' }, states });

const a = columnsOf('a', LOT);

const OPEN: Omit<ExplanationSource, 'where'> = {
  from: 'lot as a',
  select: {
    source: ["'lot'", notNull(p.text().$type<'lot'>())],
    id: ['a.id::text', notNull(p.text())],
    counts: a('remaining'),
    at: a('expires_at'),
    student_id: a('student_id'),
    state: a('kind'),
  },
  org: 'a',
  sort: { by: 'a.expires_at', type: 'timestamptz', id: 'a.id', idType: 'uuid' },
};

/** Expired lots whose hours the ledger still contains. `counts` is negative: it is subtracted from the balance. */
export const EXPIRED_LOTS_SUBTRACTED: ExplanationSource = {
  ...OPEN,
  select: {
    ...OPEN.select,
    counts: ['-a.remaining', notNull(p.decimal())],
    state: ["'expired'", notNull(p.text())],
  },
  where: ['a.open and a.expires_at <= clock.now'],
};

/** The same lots as expired hours. `counts` is positive. */
export const EXPIRED_LOTS: ExplanationSource = {
  ...EXPIRED_LOTS_SUBTRACTED,
  select: { ...EXPIRED_LOTS_SUBTRACTED.select, counts: a('remaining') },
};

/** Lots that expire within 30 days. */
const EXPIRING: ExplanationSource = {
  ...OPEN,
  where: ["a.open and a.expires_at > clock.now and a.expires_at <= clock.now + interval '30 days'"],
};

export const lotExplanations: readonly Explanation[] = [
  explanation('expiring_30d', 'student', { ...EXPIRING, subject: 'a.student_id' }),
  explanation('expiring_30d', 'org', EXPIRING),
];

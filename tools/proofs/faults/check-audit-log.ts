import { evidenceIn } from './evidence.ts';
import type { Record, Write } from './write-record.ts';
import type { System } from '../system/start-system.ts';

/** Entries of one request that say the same thing about the same record are one entry written twice. */
const ENTRIES = `
  select request_id, sum(n)::int as entries, sum(n - 1)::int as doubled from (
    select request_id, count(*) as n from clazz.clazz_audit_log
    where org_id = any ($1) group by org_id, request_id, clazz_id, action, entity, entity_id, changes::text
  ) as one group by request_id`;

interface Entries {
  request_id: string;
  entries: number;
  doubled: number;
}

/** Ids that nobody else's write can have; the same mark may be set again after the source went back. */
const OWN = /^(clazz|lesson|leave|lot|lianxi|submission) /;

/** Whether a write holds, by its source; `unknown` when the source went back and something else may stand there. */
const fateOf = (
  { done, mayBeGone, evidence }: Write,
  isThere: (it: string) => boolean,
): 'holds' | 'gone' | 'unknown' => {
  if (!done) return 'gone';
  if (!mayBeGone) return 'holds';
  if (!evidence.every(isThere)) return 'gone';
  return evidence.length > 0 && evidence.every((it) => OWN.test(it)) ? 'holds' : 'unknown';
};

/** What is wrong with what the trail says of one write. */
const problemOf = (
  write: Write,
  entries: Entries | undefined,
  isThere: (it: string) => boolean,
): string | undefined => {
  const about = `${write.kind} ${write.request_id}`;
  const fate = fateOf(write, isThere);
  if (entries !== undefined && entries.doubled > 0) return `doubled in the trail: ${about}`;
  if (entries !== undefined && fate === 'gone') return `phantom in the trail: ${about}, refused: ${write.refusal}`;
  if (entries === undefined && fate === 'holds' && write.audited === 'yes') return `lost from the trail: ${about}`;
  return undefined;
};

/** Every audited write is in the chain exactly once, and nothing else is. */
export const checkAuditLog = async ({ postgres }: System, { orgs, writes }: Record): Promise<string[]> => {
  const rows = await postgres.sql<Entries>(ENTRIES, [orgs]);
  const byRequest = new Map(rows.map((row) => [row.request_id, row]));
  const there = await evidenceIn(postgres, orgs);
  const known = new Set(writes.map(({ request_id }) => request_id));
  return [
    ...writes.flatMap((write) => problemOf(write, byRequest.get(write.request_id), (it) => there.has(it)) ?? []),
    ...rows
      .filter((row) => !known.has(row.request_id))
      .map((row) => `nobody sent what the trail tells: ${row.request_id}`),
  ];
};

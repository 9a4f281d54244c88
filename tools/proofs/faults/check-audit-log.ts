import { readEvidence } from './evidence.ts';
import type { WriteRecord, Write } from './write-record.ts';
import type { System } from '../system/start-system.ts';

/** Two entries of one request with the same content about the same record count as a duplicate. */
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

/**
 * Evidence with ids that no other write can have. A mark, in contrast, may be set again after the source was restored.
 */
const UNIQUE_EVIDENCE = /^(clazz|lesson|leave|lot|lianxi|submission) /;

/**
 * Whether the source contains a write. `unknown` when the source was restored and another write may explain the
 * evidence.
 */
const fateOf = (
  { done, mayBeLost, evidence }: Write,
  isStored: (evidence: string) => boolean,
): 'holds' | 'gone' | 'unknown' => {
  if (!done) return 'gone';
  if (!mayBeLost) return 'holds';
  if (!evidence.every(isStored)) return 'gone';
  return evidence.length > 0 && evidence.every((line) => UNIQUE_EVIDENCE.test(line)) ? 'holds' : 'unknown';
};

/** The fault of the audit log about one write, if any. */
const problemOf = (
  write: Write,
  entries: Entries | undefined,
  isStored: (evidence: string) => boolean,
): string | undefined => {
  const about = `${write.kind} ${write.request_id}`;
  const fate = fateOf(write, isStored);
  if (entries !== undefined && entries.doubled > 0) return `duplicated in the audit log: ${about}`;
  if (entries !== undefined && fate === 'gone') return `phantom in the audit log: ${about}, refused: ${write.refusal}`;
  if (entries === undefined && fate === 'holds' && write.audited === 'yes') return `missing in the audit log: ${about}`;
  return undefined;
};

/** Checks that the chain contains every audited write exactly once, and no other entry. */
export const checkAuditLog = async ({ postgres }: System, { orgs, writes }: WriteRecord): Promise<string[]> => {
  const rows = await postgres.sql<Entries>(ENTRIES, [orgs]);
  const byRequest = new Map(rows.map((row) => [row.request_id, row]));
  const stored = await readEvidence(postgres, orgs);
  const known = new Set(writes.map(({ request_id }) => request_id));
  return [
    ...writes.flatMap((write) => problemOf(write, byRequest.get(write.request_id), (line) => stored.has(line)) ?? []),
    ...rows
      .filter((row) => !known.has(row.request_id))
      .map((row) => `no caller sent the request of an audit entry: ${row.request_id}`),
  ];
};

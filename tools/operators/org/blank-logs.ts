import type { Client } from 'pg';
import { EVERYBODY } from '../../../libs/contracts/src/index.ts';
import { SERVICES, type ServiceName } from '../../../libs/contracts/src/registry.ts';
import { asOwner } from './owner-session.ts';

/** The entry of each log before which no new entry can appear. */
export type Settled = ReadonlyMap<ServiceName, string>;

export const readSettled = async (client: Client): Promise<Settled> => {
  const settled = new Map<ServiceName, string>();
  for (const service of SERVICES) {
    const { rows } = await client.query<{ seq: string }>(
      `select coalesce(max(settled), 0) as seq from ${service}.log_head`,
    );
    settled.set(service, rows[0]?.seq ?? '0');
  }
  return settled;
};

/** Entries that one transaction reads: no index leads to those of an organization, and none is worth its writes. */
const AT_ONCE = 50_000n;

const BLANK = (service: ServiceName): string => `
  update log_entry set org_id = $2, request_id = $2, type = '${service}.log.erased.v1', aggregate_id = 'log', actor = 'system',
    trace = null, happened_at = date_trunc('day', now()), data = null
  where org_id = $1 and seq > $3 and seq <= $4`;

/** The part of a log after an offset, in consecutive ranges. */
const stretchesOf = async (
  client: Client,
  service: ServiceName,
  after: bigint,
  at_once: bigint,
): Promise<[bigint, bigint][]> => {
  const { rows } = await client.query<{ first: string; last: string }>(
    `select min(seq) as first, max(seq) as last from ${service}.log_entry where seq > $1 having max(seq) is not null`,
    [after],
  );
  const stretches: [bigint, bigint][] = [];
  for (const { first, last } of rows)
    for (let from = BigInt(first) - 1n; from < BigInt(last); from += at_once) stretches.push([from, from + at_once]);
  return stretches;
};

/**
 * Turns the organization's entries into numbers without events. Entries of others keep their offsets, predecessors and numbers, and
 * followers skip the blank ones. Id, number and transaction stay; they are random. Reads the whole log, one range a transaction, so
 * finished ranges stay finished after an interruption. Returns the number of blanked entries.
 */
export const blankLogs = async (client: Client, org: string, after?: Settled, at_once = AT_ONCE): Promise<number> => {
  let blanked = 0;
  for (const service of SERVICES)
    for (const stretch of await stretchesOf(client, service, BigInt(after?.get(service) ?? 0), at_once)) {
      const done = await asOwner(client, service, org, () =>
        client.query(BLANK(service), [org, EVERYBODY, ...stretch]),
      );
      blanked += done.rowCount ?? 0;
    }
  return blanked;
};

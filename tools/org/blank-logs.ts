import type { Client } from 'pg';
import { EVERYBODY } from '../../libs/contracts/src/index.ts';
import { SERVICES, type ServiceName } from '../../libs/contracts/src/registry.ts';
import { asOwner } from './admin.ts';

/** Up to which entry of each log nothing can come any more. */
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

/**
 * Makes numbers without events of what the organization told: others' entries keep their places, their predecessors and their
 * numbers, and whoever reads the log passes over these. Id, number and transaction stay, which are random. Answers how many.
 */
export const blankLogs = async (client: Client, org: string, after?: Settled): Promise<number> => {
  let blanked = 0;
  for (const service of SERVICES) {
    const done = await asOwner(client, service, org, () =>
      client.query(
        `update log_entry set org_id = $2, request_id = $2, type = $3, aggregate_id = 'log', actor = 'system', trace = null,
           happened_at = date_trunc('day', now()), data = null
         where org_id = $1 and seq > $4`,
        [org, EVERYBODY, `${service}.log.erased.v1`, after?.get(service) ?? '0'],
      ),
    );
    blanked += done.rowCount ?? 0;
  }
  return blanked;
};

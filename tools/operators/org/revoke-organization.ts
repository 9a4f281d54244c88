import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { asOwner } from './owner-session.ts';

/**
 * Revokes access of the organization's members: gateways learn of it within seconds, and later requests store nothing.
 */
export const revokeOrganization = async (client: Client, org: string): Promise<void> => {
  for (const service of SERVICES)
    await asOwner(client, service, org, () =>
      client.query('insert into organization_end (id) values ($1) on conflict do nothing', [org]),
    );
};

/** Makes the database refuse every later row of the organization, from every role. */
export const sealOrganization = async (client: Client, org: string): Promise<void> => {
  for (const service of SERVICES)
    await asOwner(client, service, org, () =>
      client.query('update organization_end set sealed = true where id = $1 and not sealed', [org]),
    );
};

const WRITTEN = `
  select not exists (select from clazz.log_waiting where org_id = $1 and log = 'audit') and coalesce(
    (select o.no <= p.no from clazz.log_org as o, clazz.follower_position as p
     where o.org_id = $1 and o.log = 'audit' and p.follower = 'audit' and p.log = 'clazz.audit'), true) as written`;
const PATIENCE_MS = 10_000;
const LOOK_MS = 100;

/** Waits until the audit log is complete, if an instance writes it; then records its end. */
export const recordAuditEnd = async (client: Client, org: string): Promise<void> => {
  const written = async (): Promise<boolean> => {
    const { rows } = await client.query<{ written: boolean }>(WRITTEN, [org]);
    return rows[0]?.written === true;
  };
  const end = Date.now() + PATIENCE_MS;
  while (!(await written()) && Date.now() < end) await pause(LOOK_MS);
  await asOwner(client, 'clazz', org, () =>
    client.query(
      `update organization_end as e set entries = h.entries, hash = h.hash from audit_head as h
       where e.id = $1 and h.org_id = e.id and not e.sealed`,
      [org],
    ),
  );
};

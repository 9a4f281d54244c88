import { type Client, escapeIdentifier } from 'pg';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import type { BusAddress } from '../../../libs/kit/src/rpc/bus-login.ts';
import { asAdmin, asOwner, waitForOpenTransactions } from './owner-session.ts';
import { blankLogs, readSettled } from './blank-logs.ts';
import { revokeOrganization, recordAuditEnd, sealOrganization } from './revoke-organization.ts';
import { organizationTables } from './excluded-tables.ts';
import { type SearchedPlace, searchRemains } from './search-remains.ts';
import { removeReaders } from './readers.ts';
import { withStreams } from '../streams/managers.ts';
import { published, purge } from './streams.ts';
import { referringFirst, tablesOf } from './tables.ts';

export interface DeleteOptions {
  /** URL of the role that prepares the database (docs/secrets.md). */
  adminUrl: string;
  /** The broker, as its admin. */
  bus: BusAddress;
  org: string;
  /** The folder with readers.json and users.conf of the broker. */
  brokerFolder: string;
  /** Called before each step. */
  onStep?: (step: string) => void | Promise<void>;
}

/** The record that stays: the organization existed, and where its audit log ended. It has no names. */
export interface Tombstone {
  id: string;
  began_at: string;
  ended_at: string;
  entries: number | null;
  hash: string | null;
}

export interface Deleted {
  tombstone: Tombstone;
  /** Rows, log entries and messages that this run removed. */
  removed: { rows: number; entries: number; messages: number };
  /** Outside readers whose accounts ended. The broker must reload its configuration. */
  readers: string[];
  /** Where the final search looked. It found nothing. */
  looked: SearchedPlace[];
}

/** Deletes from all tables once, referring tables first. */
const removeRows = async (client: Client, org: string): Promise<number> => {
  let removed = 0;
  for (const { service, name } of referringFirst(organizationTables(await tablesOf(client)))) {
    // Entries keep their numbers, without the organization.
    if (name === 'log_entry') continue;
    const done = await asOwner(client, service, org, () =>
      client.query(`delete from ${escapeIdentifier(name)} where org_id = $1`, [org]),
    );
    removed += done.rowCount ?? 0;
  }
  return removed;
};

const MOST_ROUNDS = 10;

/** Repeats until nothing is left: transactions that began before the seal may have added rows behind the loop. */
const removeAll = async (client: Client, org: string): Promise<number> => {
  let removed = 0;
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const some = await removeRows(client, org);
    if (some === 0) return removed;
    removed += some;
    await waitForOpenTransactions(client);
  }
  throw new Error('Rows of the organization come back. Run this again.');
};

const END = `
  update organization_end set ended_at = coalesce(ended_at, clock_timestamp()) where id = $1`;
const TOMBSTONE = `
  select id, to_json(began_at) #>> '{}' as began_at, to_json(ended_at) #>> '{}' as ended_at, entries::int, hash
  from clazz.organization_end where id = $1`;

const bury = async (client: Client, org: string): Promise<Tombstone> => {
  for (const service of SERVICES) await asOwner(client, service, org, () => client.query(END, [org]));
  const [tombstone] = (await client.query<Tombstone>(TOMBSTONE, [org])).rows;
  if (tombstone === undefined) throw new Error('The record that the organization was deleted is not there');
  return tombstone;
};

/**
 * Deletes an organization everywhere, beside live traffic of others, and searches for remains afterwards. It may be stopped at any
 * moment: it begins with revoking access, which stays, and continues when it runs again. An unknown organization is deleted too, so
 * it can never be created.
 *
 * Rejects when something is left, or when a transaction of a service does not end.
 */
export const deleteOrg = async ({ adminUrl, bus, org, brokerFolder, onStep }: DeleteOptions): Promise<Deleted> => {
  const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    await onStep?.(what);
    return work();
  };
  return asAdmin(adminUrl, (client) =>
    withStreams(bus, 'organization', async (managers) => {
      // Before any change: an undeclared table stops the deletion.
      organizationTables(await tablesOf(client));
      await step('access is revoked', () => revokeOrganization(client, org));
      await step('calls in progress end', () => waitForOpenTransactions(client));
      await step('its audit log ends', () => recordAuditEnd(client, org));
      const settled = await readSettled(client);
      let entries = await step('its log entries become numbers', () => blankLogs(client, org));
      await step('later writes are refused', () => sealOrganization(client, org));
      await step('earlier transactions end', () => waitForOpenTransactions(client));
      entries += await step('its last log entries become numbers', () => blankLogs(client, org, settled));
      const rows = await step('its rows are removed', () => removeAll(client, org));
      await step('earlier events are published', () => published(client));
      const messages = await step('its messages are removed', () => purge(managers, org));
      const readers = await step('its readers are removed', () => removeReaders(managers, org, brokerFolder));
      const looked = await step('remains are searched', () => searchRemains(client, managers, org));
      const left = looked.filter(({ found }) => found !== 0);
      if (left.length > 0)
        throw new Error(
          `Of the organization is left: ${left.map(({ where, found }) => `${found} in ${where}`).join(', ')}`,
        );
      return { tombstone: await bury(client, org), removed: { rows, entries, messages }, readers, looked };
    }),
  );
};

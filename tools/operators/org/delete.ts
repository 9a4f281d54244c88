import { type Client, escapeIdentifier } from 'pg';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import type { BusAddress } from '../../../libs/kit/src/rpc/bus-login.ts';
import { asAdmin, asOwner, earlierOnesAreOver } from './admin.ts';
import { blankLogs, readSettled } from './blank-logs.ts';
import { close, keepEndOfTrail, seal } from './close.ts';
import { withOrg } from './left-out.ts';
import { type Found, lookEverywhere } from './prove.ts';
import { removeReaders } from './readers.ts';
import { published, purge, withStreams } from './streams.ts';
import { referringFirst, tablesOf } from './tables.ts';

export interface DeleteOptions {
  /** Of who prepares the database (docs/secrets.md). */
  adminUrl: string;
  /** The broker, as its admin. */
  bus: BusAddress;
  org: string;
  /** Where readers.json and users.conf of the broker lie. */
  brokerFolder: string;
  /** Told before each step. */
  onStep?: (step: string) => void | Promise<void>;
}

/** What stays: that there was such an organization, and where its trail ended. No names. */
export interface Tombstone {
  id: string;
  began_at: string;
  ended_at: string;
  entries: number | null;
  hash: string | null;
}

export interface Deleted {
  tombstone: Tombstone;
  /** Rows, entries of logs and messages that this run removed. */
  removed: { rows: number; entries: number; messages: number };
  /** Readers outside whose accounts ended; the broker has to read its configuration again. */
  readers: string[];
  /** Where it was looked for at the end; nothing was found anywhere. */
  looked: Found[];
}

/** Once round all tables, those that refer to others first. */
const removeRows = async (client: Client, org: string): Promise<number> => {
  let removed = 0;
  for (const { service, name } of referringFirst(withOrg(await tablesOf(client)))) {
    // What was told keeps its number, without saying whose it was.
    if (name === 'log_entry') continue;
    const done = await asOwner(client, service, org, () =>
      client.query(`delete from ${escapeIdentifier(name)} where org_id = $1`, [org]),
    );
    removed += done.rowCount ?? 0;
  }
  return removed;
};

const MOST_ROUNDS = 10;

/** Until there is nothing left; who began before the organization was sealed may have added some behind us. */
const removeAll = async (client: Client, org: string): Promise<number> => {
  let removed = 0;
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const some = await removeRows(client, org);
    if (some === 0) return removed;
    removed += some;
    await earlierOnesAreOver(client);
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
 * Deletes an organization everywhere, beside live traffic of others, and looks afterwards whether anything of it is left. May be
 * stopped at any moment: it begins with shutting it out, which stays, and run again it goes on. An organization of which nothing is
 * known is deleted, too: nobody can bring it back.
 *
 * Rejects when something is left, or when who works for it does not come to an end.
 */
export const deleteOrg = async ({ adminUrl, bus, org, brokerFolder, onStep }: DeleteOptions): Promise<Deleted> => {
  const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    await onStep?.(what);
    return work();
  };
  return asAdmin(adminUrl, (client) =>
    withStreams(bus, async (manager) => {
      // Before anything is done: a table of which nobody said whose its rows are stops it.
      withOrg(await tablesOf(client));
      await step('its people are shut out', () => close(client, org));
      await step('what is under way ends', () => earlierOnesAreOver(client));
      await step('its trail ends', () => keepEndOfTrail(client, org));
      const settled = await readSettled(client);
      let entries = await step('its entries in logs become numbers', () => blankLogs(client, org));
      await step('nothing of it is taken any more', () => seal(client, org));
      await step('what began before that ends', () => earlierOnesAreOver(client));
      entries += await step('its last entries become numbers', () => blankLogs(client, org, settled));
      const rows = await step('its rows are removed', () => removeAll(client, org));
      await step('what was told before is published', () => published(client));
      const messages = await step('its messages are removed', () => purge(manager, org));
      const readers = await step('its readers are removed', () => removeReaders(manager, org, brokerFolder));
      const looked = await step('it is looked for everywhere', () => lookEverywhere(client, manager, org));
      const left = looked.filter(({ found }) => found !== 0);
      if (left.length > 0)
        throw new Error(
          `Of the organization is left: ${left.map(({ where, found }) => `${found} in ${where}`).join(', ')}`,
        );
      return { tombstone: await bury(client, org), removed: { rows, entries, messages }, readers, looked };
    }),
  );
};

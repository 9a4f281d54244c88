import { setTimeout as pause } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Client } from 'pg';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';
import type { StreamManagers } from '../streams/managers.ts';

/** Every stream with its manager, ordered by name. */
const streamsIn = async (managers: StreamManagers): Promise<[name: string, manager: JetStreamManager][]> => {
  const all: [string, JetStreamManager][] = [];
  for (const manager of managers.values()) for await (const name of manager.streams.names()) all.push([name, manager]);
  return all.toSorted(([a], [b]) => (a < b ? -1 : 1));
};

/** The second part of every subject is the organization, in every stream. */
const subjectsOf = (org: string): string => `*.${org}.>`;

/** The number of the organization's messages in each stream. */
export const messagesOf = async (managers: StreamManagers, org: string): Promise<Map<string, number>> => {
  const found = new Map<string, number>();
  for (const [name, manager] of await streamsIn(managers)) {
    const { state } = await manager.streams.info(name, { subjects_filter: subjectsOf(org) });
    found.set(
      name,
      Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0),
    );
  }
  return found;
};

/** Removes the organization's messages from all streams. Returns their number. */
export const purge = async (managers: StreamManagers, org: string): Promise<number> => {
  let purged = 0;
  for (const [name, manager] of await streamsIn(managers)) {
    const { state } = await manager.streams.info(name, { subjects_filter: subjectsOf(org) });
    for (const filter of Object.keys(state.subjects ?? {}))
      purged += (await manager.streams.purge(name, { filter })).purged;
  }
  return purged;
};

/** Consumers of outside readers that deliver this organization's messages. */
export const consumersOf = async (
  managers: StreamManagers,
  org: string,
): Promise<{ stream: string; consumer: string; manager: JetStreamManager }[]> => {
  const found: Awaited<ReturnType<typeof consumersOf>> = [];
  for (const [stream, manager] of await streamsIn(managers))
    for await (const { name, config } of manager.consumers.list(stream)) {
      const filters = [...(config.filter_subjects ?? []), config.filter_subject ?? ''];
      if (filters.some((filter) => filter.split('.').includes(org))) found.push({ stream, consumer: name, manager });
    }
  return found;
};

/** Logs with a stream that is expected to have messages. */
const HEADS = SERVICES.flatMap((service) =>
  logKindsOf(service).map(
    (log) =>
      `select '${service}' as service, log, no, published_no from ${service}.log_head where log = '${log}' and no > base`,
  ),
).join(' union all ');
const LEADING = 'select from pg_stat_activity where datname = current_database() and usename = $1 limit 1';
const PATIENCE_MS = 30_000;
const LOOK_MS = 250;

interface Head {
  service: string;
  log: string;
  no: string;
  published_no: string | null;
}

/**
 * Resolves when everything that is numbered so far is published, so that no publisher sends entries from its memory after the
 * streams are emptied. Ignores services that do not run.
 */
export const published = async (client: Client): Promise<void> => {
  const heads = async (): Promise<Head[]> => (await client.query<Head>(HEADS)).rows;
  const goals = await heads();
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const now = await heads();
    const behind = goals.filter(({ service, log, no }) => {
      const head = now.find((one) => one.service === service && one.log === log);
      return head === undefined || BigInt(head.published_no ?? -1) < BigInt(no);
    });
    const waiting: string[] = [];
    for (const { service, log } of behind)
      if ((await client.query(LEADING, [`${service}_worker`])).rowCount !== 0) waiting.push(`${service} ${log}`);
    if (waiting.length === 0) return;
    if (Date.now() > end)
      throw new Error(
        `Some events are not published yet: ${waiting.join(', ')}. Repair the streams, then run this again.`,
      );
    await pause(LOOK_MS);
  }
};

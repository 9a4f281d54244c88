import { jetstreamManager } from '@nats-io/jetstream';
import { SERVICES } from '@teaching/contracts';
import { z } from 'zod';
import { connectOnce } from '../../../../libs/kit/src/rpc/bus-login.ts';
import { bytesOf, type Grown } from '../../bench/measure/bytes.ts';
import { quiet } from '../../bench/measure/slices.ts';
import type { System } from '../../bench/system/system.ts';
import { adminBus } from '../../../operators/operator/bus.ts';
import type { Stored } from '../figures.ts';

const TRAIL = 'clazz.clazz_audit_log';
const LOGS = /\.(log_entry|log_batch)$/;

/** Bytes of all streams of events, and of all of audit records. */
const streamBytes = async ({ dataDir }: System): Promise<{ events: number; audit: number }> => {
  const nc = await connectOnce(await adminBus({ DATA_DIR: dataDir }), 'capacity');
  try {
    const bytes = { events: 0, audit: 0 };
    for await (const { state, config } of (await jetstreamManager(nc)).streams.list())
      bytes[config.name.startsWith('AUDIT_') ? 'audit' : 'events'] += state.bytes;
    return bytes;
  } finally {
    await nc.close();
  }
};

const Kept = z.tuple([z.object({ domain: z.coerce.number(), audit: z.coerce.number(), entries: z.coerce.number() })]);
/** Bytes of entries by what log they are of, and entries of trails. */
const KEPT = `select
  sum(size) filter (where log = 'domain') as domain, sum(size) filter (where log = 'audit') as audit,
  (select count(*) from ${TRAIL}) as entries
  from (${SERVICES.map((name) => `select log, pg_column_size(e.*) as size from ${name}.log_entry as e`).join(' union all ')})`;
const keptIn = async ({ sql }: System) => Kept.parse(await sql(KEPT))[0];

const Wal = z.tuple([z.object({ bytes: z.coerce.number() })]);

const sumOf = (tables: readonly Grown[], which: (name: string) => boolean): number =>
  tables.filter(({ name }) => which(name)).reduce((sum, { live, index }) => sum + live + index, 0);

/** What each of so many leaves behind. Pages' images are counted apart, as they come when a checkpoint was just made. */
export const storedBy = async (
  system: System,
  name: string,
  requests: number,
  prepare: () => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<Stored> => {
  await prepare();
  const [streamed, kept] = [await streamBytes(system), await keptIn(system)];
  const { tables } = await bytesOf(system, name, requests, work);
  const now = await keptIn(system);
  const stream = await streamBytes(system);
  await prepare();
  await system.sql('checkpoint');
  const [{ bytes: from }] = Wal.parse(await system.sql("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes"));
  await work();
  await quiet(system.roots());
  const [{ bytes: to }] = Wal.parse(await system.sql("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes"));

  const ofLogs = sumOf(tables, (table) => LOGS.test(table));
  const domain = now.domain - kept.domain;
  const audit = now.audit - kept.audit;
  const auditShare = domain + audit === 0 ? 0 : audit / (domain + audit);
  const stats = (table: string): boolean => table.startsWith('stats.');
  const each: Stored = {
    wal: (to - from) / requests,
    domain: sumOf(tables, (table) => !stats(table) && !LOGS.test(table) && table !== TRAIL),
    log: ofLogs * (1 - auditShare),
    audit_log: ofLogs * auditShare,
    trail: sumOf(tables, (table) => table === TRAIL),
    statistics: sumOf(tables, stats),
    events_stream: (stream.events - streamed.events) / requests,
    audit_stream: (stream.audit - streamed.audit) / requests,
    entries: (now.entries - kept.entries) / requests,
  };
  return {
    ...each,
    ...Object.fromEntries(Object.entries(each).map(([key, value]) => [key, Math.max(0, Math.round(value * 10) / 10)])),
  };
};

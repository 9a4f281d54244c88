import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { z } from 'zod';
import type { LiveValue } from '../base/live-value.ts';
import { TLS_FILES } from '../db/address.ts';
import { notNull, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { logKindsOf } from '../log/source-term.ts';
import { streamName } from '../log/stream.ts';
import type { WorkerTransaction } from '../log/worker-transaction.ts';
import { type ClockSkew, largestSkews, leastSkew } from '../rpc/clock-skew.ts';
import type { Bus } from '../rpc/message-bus.ts';
import type { SetGauge } from '../telemetry/metrics.ts';
import type { ServiceConfig } from './instance-parts.ts';

/** Bytes of its log that Postgres retains for a replication slot. They fill the disk if no consumer reads them. */
const HELD = statement(
  `select slot_name::text as slot, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as held
   from pg_replication_slots`,
  { slot: notNull(p.text()), held: notNull(p.double()) },
);

export const observeHeldWal = async (see: SetGauge, on: Pick<WorkerTransaction, 'query'>): Promise<void> => {
  for (const { slot, held } of await on.query(HELD)) see('teaching.database.held', held, { slot });
};

/** Whether the broker is connected, and the bytes that it has not accepted yet. */
export const observeBus = async (see: SetGauge, service: string, bus: Bus): Promise<void> => {
  see('teaching.bus.connected', Number(bus.isUp()), { service });
  see('teaching.bus.pending', await bus.pendingBytes(), { service });
};

/** By how much the clocks of other parts differ from that of this process. */
export const observeClocks = (see: SetGauge, service: string, skews: readonly ClockSkew[]): void => {
  for (const [part, skew_s] of largestSkews(skews)) see('teaching.clock.skew', skew_s, { service, part });
};

/** `ts`: the time of the broker at its answer. Servers before 2.10 do not send it. */
const Answered = z.object({ ts: z.iso.datetime().optional() });

/**
 * The size of the streams of a service. A full stream removes its oldest events before a week is over. The
 * answers also show the clock of the broker.
 */
export const observeStreams = async (see: SetGauge, service: string, bus: Bus): Promise<void> => {
  if (!bus.isUp()) return;
  const manager = await jetstreamManager(bus.nc, { checkAPI: false });
  for (const kind of logKindsOf(service)) {
    const stream = streamName(service, kind);
    const begun = Date.now();
    const answer = await manager.streams.info(stream);
    const ended = Date.now();
    const { state, config } = answer;
    const { ts } = Answered.parse(answer);
    if (ts !== undefined)
      observeClocks(see, service, [{ part: 'nats', skew_ms: leastSkew(Date.parse(ts), begun, ended) }]);
    see('teaching.stream.bytes', state.bytes, { stream });
    if (config.max_bytes > 0) see('teaching.stream.max', config.max_bytes, { stream });
  }
};

/** One or several certificates as PEM, with the setting that they come from. */
export interface Certificate {
  of: string;
  pem: () => string;
}

const FILES = Object.keys(TLS_FILES).filter((name) => name !== 'sslkey');

/** The certificates of a Postgres URL. The files are read at each collection, since they may be exchanged. */
const certificatesInUrl = (of: string, url: LiveValue<string>): Certificate[] =>
  FILES.flatMap((name) => {
    const file = new URL(url()).searchParams.get(name);
    return file === null ? [] : [{ of: `${of} ${name}`, pem: () => readFileSync(file, 'utf8') }];
  });

/** The certificates that an instance presents or trusts. */
export const certificatesOf = (
  config: Pick<ServiceConfig, 'DATABASE_URL' | 'WORKER_DATABASE_URL' | 'NATS_CA' | 'NATS_CERT'>,
): Certificate[] => [
  ...certificatesInUrl('DATABASE_URL', config.DATABASE_URL),
  ...certificatesInUrl('WORKER_DATABASE_URL', config.WORKER_DATABASE_URL),
  ...(['NATS_CA', 'NATS_CERT'] as const).flatMap((of) => {
    const pem = config[of];
    return pem === undefined ? [] : [{ of, pem }];
  }),
];

const ONE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Seconds until the first of the certificates in a text expires. Expired ones are ignored if a valid one is left. */
export const secondsLeft = (pem: string, now: Date): number | undefined => {
  const ends = (pem.match(ONE) ?? []).map(
    (one) => (new X509Certificate(one).validToDate.getTime() - now.getTime()) / 1_000,
  );
  const inForce = ends.filter((left) => left > 0);
  if (ends.length === 0) return undefined;
  return inForce.length === 0 ? Math.max(...ends) : Math.min(...inForce);
};

/** A file may be missing or incomplete while it is exchanged; the next collection reads it again. */
const leftOf = ({ pem }: Certificate, now: Date): number | undefined => {
  try {
    return secondsLeft(pem(), now);
  } catch {
    return undefined;
  }
};

export const observeCertificates = (
  see: SetGauge,
  service: string,
  certificates: readonly Certificate[],
  now: Date,
): void => {
  for (const one of certificates) {
    const left = leftOf(one, now);
    if (left !== undefined) see('teaching.certificate.left', left, { service, of: one.of });
  }
};

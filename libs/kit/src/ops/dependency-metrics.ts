import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import type { LiveValue } from '../base/live-value.ts';
import { TLS_FILES } from '../db/address.ts';
import { always, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { logKindsOf } from '../log/source-term.ts';
import { streamName } from '../log/stream.ts';
import type { WorkerTransaction } from '../log/worker-transaction.ts';
import type { Bus } from '../rpc/connect.ts';
import type { SetGauge } from '../telemetry/metrics.ts';
import type { ServiceConfig } from './instance-parts.ts';

/** What Postgres keeps of its log for whoever has not taken it yet: it fills the disk when nobody comes. */
const HELD = statement(
  `select slot_name::text as slot, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as held
   from pg_replication_slots`,
  { slot: always(p.text()), held: always(p.double()) },
);

export const observeHeldWal = async (see: SetGauge, on: Pick<WorkerTransaction, 'query'>): Promise<void> => {
  for (const { slot, held } of await on.query(HELD)) see('teaching.database.held', held, { slot });
};

/** Whether the broker is there, and what it has not taken yet. */
export const observeBus = async (see: SetGauge, service: string, bus: Bus): Promise<void> => {
  see('teaching.bus.connected', Number(bus.isUp()), { service });
  see('teaching.bus.pending', await bus.pending(), { service });
};

/** How full the streams of a service are; a full one forgets its oldest events before their week is over. */
export const observeStreams = async (see: SetGauge, service: string, bus: Bus): Promise<void> => {
  if (!bus.isUp()) return;
  const manager = await jetstreamManager(bus.nc, { checkAPI: false });
  for (const kind of logKindsOf(service)) {
    const stream = streamName(service, kind);
    const { state, config } = await manager.streams.info(stream);
    see('teaching.stream.bytes', state.bytes, { stream });
    if (config.max_bytes > 0) see('teaching.stream.max', config.max_bytes, { stream });
  }
};

/** A certificate, or several, as PEM, by the name of what told it. */
export interface Certificate {
  of: string;
  pem: () => string;
}

const FILES = Object.keys(TLS_FILES).filter((name) => name !== 'sslkey');

/** Of a URL of Postgres: its files are read when they are looked at, since they are exchanged. */
const inUrl = (of: string, url: LiveValue<string>): Certificate[] =>
  FILES.flatMap((name) => {
    const file = new URL(url()).searchParams.get(name);
    return file === null ? [] : [{ of: `${of} ${name}`, pem: () => readFileSync(file, 'utf8') }];
  });

/** The certificates that an instance shows or believes. */
export const certificatesOf = (
  config: Pick<ServiceConfig, 'DATABASE_URL' | 'WORKER_DATABASE_URL' | 'NATS_CA' | 'NATS_CERT'>,
): Certificate[] => [
  ...inUrl('DATABASE_URL', config.DATABASE_URL),
  ...inUrl('WORKER_DATABASE_URL', config.WORKER_DATABASE_URL),
  ...(['NATS_CA', 'NATS_CERT'] as const).flatMap((of) => {
    const pem = config[of];
    return pem === undefined ? [] : [{ of, pem }];
  }),
];

const ONE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Seconds until the first of the certificates in a text ends, but for those that have ended beside one that has not. */
export const secondsLeft = (pem: string, now: Date): number | undefined => {
  const ends = (pem.match(ONE) ?? []).map(
    (one) => (new X509Certificate(one).validToDate.getTime() - now.getTime()) / 1_000,
  );
  const inForce = ends.filter((left) => left > 0);
  if (ends.length === 0) return undefined;
  return inForce.length === 0 ? Math.max(...ends) : Math.min(...inForce);
};

/** A file that is being exchanged may be missing, or half of one, for a moment: it is told at the next look. */
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

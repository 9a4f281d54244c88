import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { type BusAddress, busLogin, isLoginRefusal, loginOptions } from '../../../libs/kit/src/rpc/bus-login.ts';
import { inboxOf } from '../../../libs/kit/src/rpc/subjects.ts';
import { reasonOf } from '../../../libs/kit/src/telemetry/failure-log.ts';
import type { Finding } from './findings.ts';

const PATIENCE_MS = 5_000;
const TLS = /cert|tls|ssl|self.signed|altname/i;

/** The login of a process at the broker. */
export interface BrokerLogin {
  process: string;
  address: BusAddress;
}

const refusalOf = ({ process, address }: BrokerLogin, error: unknown): Finding => {
  const about = [process];
  const reason = reasonOf(error);
  if (isLoginRefusal(error) || /authorization/i.test(reason)) {
    const { description } = busLogin(address);
    return {
      check: 'login',
      about,
      wrong: `the broker refuses ${description} of ${process}`,
      mend: 'give the process and the broker the same login, and reload the configuration of the broker (docs/secrets.md)',
    };
  }
  if (TLS.test(reason))
    return {
      check: 'broker-tls',
      about,
      wrong: `no TLS with the broker at ${address.NATS_URL}: ${reason}`,
      mend: 'correct NATS_CA, NATS_CERT and NATS_KEY, the name in NATS_URL, or the certificate of the broker (docs/secrets.md)',
    };
  return {
    check: 'broker',
    about,
    wrong: `no broker can be reached at ${address.NATS_URL}: ${reason}`,
    mend: 'start it, correct NATS_URL, or open the network path',
  };
};

/** Logs in like the process, once. */
export const connected = async (login: BrokerLogin): Promise<NatsConnection | Finding> => {
  const bus = busLogin(login.address);
  const once = (): Promise<NatsConnection> =>
    connect({
      ...loginOptions(login.address, bus),
      name: 'doctor',
      inboxPrefix: inboxOf(login.address.NATS_USER ?? login.process),
      reconnect: false,
      timeout: PATIENCE_MS,
    });
  for (let left = login.address.NATS_PASSWORD?.().length ?? 1; ; left -= 1) {
    try {
      return await once();
    } catch (error) {
      if (!isLoginRefusal(error) || left <= 1) return refusalOf(login, error);
      bus.reportRefusal();
    }
  }
};

/** Replaces each wildcard of a pattern by an unused name, so that no process receives the probe. */
const NOBODY = 'doctor';
const concrete = (pattern: string): string =>
  pattern
    .split('.')
    .map((part) => (part === '*' || part === '>' ? NOBODY : part))
    .join('.');

/** Subjects for a probe of permissions: no process receives it, or it is a request without a caller. */
const isHarmless = (subject: string): boolean =>
  /^(call|peer|_INBOX_\w+)\..*\bdoctor\b|^\$JS\.API\.STREAM\.INFO\./.test(subject);

/** The required subjects that the broker refuses to this connection. */
export const forbidden = async (
  nc: NatsConnection,
  { publish, subscribe }: { publish: readonly string[]; subscribe: readonly string[] },
): Promise<string[]> => {
  const seen = new Set<string>();
  const note = (error: unknown): void => {
    if (error instanceof PermissionViolationError) seen.add(`${error.operation} ${error.subject}`);
  };
  const listening = (async () => {
    for await (const status of nc.status()) if (status.type === 'error') note(status.error);
  })();
  for (const subject of subscribe.map(concrete)) nc.subscribe(subject, { callback: (error) => note(error) });
  for (const subject of publish.map(concrete).filter(isHarmless)) nc.publish(subject);
  // The broker answers in order: after the second flush every refusal has arrived.
  await nc.flush();
  await nc.flush();
  await nc.close();
  await listening;
  return [...seen];
};

import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { type BusAddress, busLogin, isRefusal, loginOptions } from '../../../libs/kit/src/rpc/bus-login.ts';
import { inboxOf } from '../../../libs/kit/src/rpc/subjects.ts';
import { reasonOf } from '../../../libs/kit/src/telemetry/trouble-teller.ts';
import type { Finding } from './finding.ts';

const PATIENCE_MS = 5_000;
const TLS = /cert|tls|ssl|self.signed|altname/i;

/** How a process logs in to the broker. */
export interface BrokerLogin {
  process: string;
  address: BusAddress;
}

const refusalOf = ({ process, address }: BrokerLogin, error: unknown): Finding => {
  const about = [process];
  const reason = reasonOf(error);
  if (isRefusal(error) || /authorization/i.test(reason)) {
    const { who } = busLogin(address);
    return {
      check: 'login',
      about,
      wrong: `the broker refuses ${who} of ${process}`,
      mend: 'give the process and the broker the same login, and have the broker read its configuration again (docs/secrets.md)',
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
    mend: 'start it, correct NATS_URL, or let the process reach it',
  };
};

/** Logs in as the process would; tries once. */
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
      if (!isRefusal(error) || left <= 1) return refusalOf(login, error);
      bus.refused();
    }
  }
};

/** A pattern with the name of nobody in place of each wildcard: what is sent there reaches nobody, who listens hears nothing. */
const NOBODY = 'doctor';
const concrete = (pattern: string): string =>
  pattern
    .split('.')
    .map((part) => (part === '*' || part === '>' ? NOBODY : part))
    .join('.');

/** What may be sent to see whether the broker lets it pass: nobody hears it, or it is a question without an asker. */
const isHarmless = (subject: string): boolean =>
  /^(call|peer|_INBOX_\w+)\..*\bdoctor\b|^\$JS\.API\.STREAM\.INFO\./.test(subject);

/** Subjects that the broker does not let this connection use, of those that it should. */
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
  // The broker answers in order: after the second flush everything it refused has been told.
  await nc.flush();
  await nc.flush();
  await nc.close();
  await listening;
  return [...seen];
};

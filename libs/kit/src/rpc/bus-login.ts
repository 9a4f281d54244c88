import {
  type Authenticator,
  AuthorizationError,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  type NodeConnectionOptions,
  type TlsOptions,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';
import type { LiveValue } from '../base/live-value.ts';
import { unlessAborted, wait } from '../base/wait.ts';
import type { FailureLog } from '../telemetry/failure-log.ts';
import { inboxOf } from './subjects.ts';

/** The addresses of the brokers, the login and the certificates. Each new connection reads the current values. */
export interface BusAddress {
  /** One or several, by commas; TLS where it begins with `tls://`, or with NATS_CA. */
  NATS_URL: string;
  NATS_USER?: string | undefined;
  /** One of the three is what shows who we are; without any, the broker knows by our certificate, or does not ask. */
  NATS_PASSWORD?: LiveValue<readonly string[]> | undefined;
  NATS_NKEY_SEED?: LiveValue<string> | undefined;
  NATS_CREDS?: LiveValue<string> | undefined;
  /** PEM. */
  NATS_CA?: LiveValue<string> | undefined;
  NATS_CERT?: LiveValue<string> | undefined;
  NATS_KEY?: LiveValue<string> | undefined;
}

export const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;

/** The login of one process. */
export interface BusLogin {
  authenticator: Authenticator;
  /** The name to show when the broker refuses the login, with its variables. */
  who: string;
  /** Tells that the broker refused the last attempt: of several passwords the next one is tried. */
  refused: () => void;
}

const bytes = (live: LiveValue<string>) => (): Uint8Array => new TextEncoder().encode(`${live()}\n`);
const nothing = (): void => undefined;

export const busLogin = ({ NATS_USER: user, NATS_PASSWORD, NATS_NKEY_SEED, NATS_CREDS }: BusAddress): BusLogin => {
  if (NATS_CREDS !== undefined)
    return { authenticator: credsAuthenticator(bytes(NATS_CREDS)), who: 'us (NATS_CREDS)', refused: nothing };
  if (NATS_NKEY_SEED !== undefined) {
    const seed = (): Uint8Array => new TextEncoder().encode(NATS_NKEY_SEED());
    return { authenticator: nkeyAuthenticator(seed), who: 'our key (NATS_NKEY_SEED)', refused: nothing };
  }
  if (user === undefined)
    return { authenticator: () => undefined, who: 'who has no name (NATS_USER)', refused: nothing };
  let refusals = 0;
  return {
    authenticator: () => {
      const all = NATS_PASSWORD?.() ?? [];
      return { user, pass: all[refusals % all.length] ?? '' };
    },
    who: `user ${user} (NATS_USER, NATS_PASSWORD)`,
    refused: () => void (refusals += 1),
  };
};

/** Read again by the client for each connection. */
const tlsOf = ({ NATS_CA: ca, NATS_CERT: cert, NATS_KEY: key }: BusAddress): TlsOptions => {
  const options: TlsOptions = {};
  for (const [name, live] of Object.entries({ ca, cert, key }))
    if (live !== undefined) Object.defineProperty(options, name, { get: live, enumerable: true });
  return options;
};

const asksForTls = ({ NATS_URL, NATS_CA }: BusAddress): boolean =>
  NATS_CA !== undefined || NATS_URL.split(',').some((one) => one.trim().startsWith('tls://'));

/** What the client needs to reach the brokers and to be let in; a broker that should have TLS and has none is refused. */
export const loginOptions = (address: BusAddress, { authenticator }: BusLogin): NodeConnectionOptions => {
  const servers = address.NATS_URL.split(',').map((one) => one.trim());
  const hasTls = asksForTls(address) || address.NATS_CERT !== undefined;
  return { servers, authenticator, ...(hasTls ? { tls: tlsOf(address) } : {}) };
};

/** A connection for a short piece of work, not made anew when it is lost. */
export const connectOnce = (address: BusAddress, name: string): Promise<NatsConnection> =>
  connect({
    ...loginOptions(address, busLogin(address)),
    name,
    inboxPrefix: inboxOf(address.NATS_USER ?? name),
    reconnect: false,
  });

const PAUSE_MS = 500;

/** One try; a connection that comes after `stop` is closed again. */
const attempt = (options: NodeConnectionOptions, stop: AbortSignal): Promise<NatsConnection> => {
  const connecting = connect(options);
  connecting.then((nc) => (stop.aborted ? nc.close() : undefined)).catch(() => {});
  return unlessAborted(connecting, stop);
};

/**
 * Tries until the broker is there and lets us in, and says meanwhile what it waits for: the client's own way of
 * waiting says nothing. Rejects when `stop` is aborted.
 */
export const firstConnection = async (
  options: NodeConnectionOptions,
  reason: (error: unknown) => string,
  teller: FailureLog,
  stop: AbortSignal,
): Promise<NatsConnection> => {
  for (;;) {
    stop.throwIfAborted();
    try {
      const nc = await attempt(options, stop);
      teller.logRecovery();
      return nc;
    } catch (error) {
      stop.throwIfAborted();
      teller.report(reason(error));
    }
    await wait(PAUSE_MS, stop);
  }
};

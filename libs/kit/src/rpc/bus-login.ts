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
  /** One or several addresses, separated by commas. TLS is used if one begins with `tls://`, or if NATS_CA is set. */
  NATS_URL: string;
  NATS_USER?: string | undefined;
  /**
   * One of these three proves the identity. Without them the broker uses the client certificate, or asks for no login.
   */
  NATS_PASSWORD?: LiveValue<readonly string[]> | undefined;
  NATS_NKEY_SEED?: LiveValue<string> | undefined;
  NATS_CREDS?: LiveValue<string> | undefined;
  /** Certificates and key as PEM. */
  NATS_CA?: LiveValue<string> | undefined;
  NATS_CERT?: LiveValue<string> | undefined;
  NATS_KEY?: LiveValue<string> | undefined;
}

export const isLoginRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;

/** The login of one process. */
export interface BusLogin {
  authenticator: Authenticator;
  /** The login and its variables, for the message that the broker refuses it. */
  description: string;
  /**
   * Reports that the broker refused the last attempt. The next attempt uses the next password, if there are several.
   */
  reportRefusal: () => void;
}

const bytes = (live: LiveValue<string>) => (): Uint8Array => new TextEncoder().encode(`${live()}\n`);
const doNothing = (): void => undefined;

export const busLogin = ({ NATS_USER: user, NATS_PASSWORD, NATS_NKEY_SEED, NATS_CREDS }: BusAddress): BusLogin => {
  if (NATS_CREDS !== undefined)
    return {
      authenticator: credsAuthenticator(bytes(NATS_CREDS)),
      description: 'the login of NATS_CREDS',
      reportRefusal: doNothing,
    };
  if (NATS_NKEY_SEED !== undefined) {
    const seed = (): Uint8Array => new TextEncoder().encode(NATS_NKEY_SEED());
    return {
      authenticator: nkeyAuthenticator(seed),
      description: 'the key of NATS_NKEY_SEED',
      reportRefusal: doNothing,
    };
  }
  if (user === undefined)
    return {
      authenticator: () => undefined,
      description: 'a login without a name (NATS_USER)',
      reportRefusal: doNothing,
    };
  let refusals = 0;
  return {
    authenticator: () => {
      const all = NATS_PASSWORD?.() ?? [];
      return { user, pass: all[refusals % all.length] ?? '' };
    },
    description: `user ${user} (NATS_USER, NATS_PASSWORD)`,
    reportRefusal: () => void (refusals += 1),
  };
};

/** Getters, so that the NATS client reads the current certificates for each connection. */
const tlsOf = ({ NATS_CA: ca, NATS_CERT: cert, NATS_KEY: key }: BusAddress): TlsOptions => {
  const options: TlsOptions = {};
  for (const [name, live] of Object.entries({ ca, cert, key }))
    if (live !== undefined) Object.defineProperty(options, name, { get: live, enumerable: true });
  return options;
};

const asksForTls = ({ NATS_URL, NATS_CA }: BusAddress): boolean =>
  NATS_CA !== undefined || NATS_URL.split(',').some((one) => one.trim().startsWith('tls://'));

/** Addresses, login and TLS options for the NATS client. A broker without TLS is refused if the options require it. */
export const loginOptions = (address: BusAddress, { authenticator }: BusLogin): NodeConnectionOptions => {
  const servers = address.NATS_URL.split(',').map((one) => one.trim());
  const hasTls = asksForTls(address) || address.NATS_CERT !== undefined;
  return { servers, authenticator, ...(hasTls ? { tls: tlsOf(address) } : {}) };
};

/** A connection for a short task. It does not reconnect when it is lost. */
export const connectOnce = (address: BusAddress, name: string): Promise<NatsConnection> =>
  connect({
    ...loginOptions(address, busLogin(address)),
    name,
    inboxPrefix: inboxOf(address.NATS_USER ?? name),
    reconnect: false,
  });

const PAUSE_MS = 500;

/** One attempt to connect. A connection that opens after `stop` was aborted is closed again. */
const attempt = (options: NodeConnectionOptions, stop: AbortSignal): Promise<NatsConnection> => {
  const connecting = connect(options);
  connecting.then((nc) => (stop.aborted ? nc.close() : undefined)).catch(() => {});
  return unlessAborted(connecting, stop);
};

/**
 * Tries until a broker accepts the login, and logs meanwhile what it waits for. The NATS client can wait by itself, but
 * logs nothing. Rejects when `stop` is aborted.
 */
export const connectWithRetry = async (
  options: NodeConnectionOptions,
  reason: (error: unknown) => string,
  failures: FailureLog,
  stop: AbortSignal,
): Promise<NatsConnection> => {
  for (;;) {
    stop.throwIfAborted();
    try {
      const nc = await attempt(options, stop);
      failures.logRecovery();
      return nc;
    } catch (error) {
      stop.throwIfAborted();
      failures.report(reason(error));
    }
    await wait(PAUSE_MS, stop);
  }
};

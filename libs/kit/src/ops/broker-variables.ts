import type { z } from 'zod';
import type { BusAddress } from '../rpc/bus-login.ts';
import { secretVariable } from './secret-variable.ts';
import { brokers, certificates, credentials, passwords, pemKey, textLike, userSeed } from './variables.ts';

/** The address of the broker, and the certificates for TLS. */
export const brokerAddress = {
  NATS_URL: brokers("the broker's address"),
  /** TLS is used if this is set or the URL begins with `tls://`. */
  NATS_CA: secretVariable(certificates("the CA certificates for the broker's certificate")).optional(),
  NATS_CERT: secretVariable(certificates('our certificate for the broker')).optional(),
  NATS_KEY: secretVariable(pemKey('the private key of NATS_CERT')).optional(),
};

/** The ways to log in; a process uses one of them. */
export const brokerPassword = (user: string) =>
  secretVariable(passwords(`the password of ${user}; while it is exchanged several, one on each line`)).optional();
export const brokerSeed = () => secretVariable(userSeed('the seed of the key of a user (nkey)')).optional();
export const brokerCreds = () => secretVariable(credentials('the content of a .creds file')).optional();

/** Variables of every process that connects to the broker. */
export const brokerConfig = {
  ...brokerAddress,
  /** The user name. It is part of subjects, and NATS_PASSWORD belongs to it. */
  NATS_USER: textLike('the name to log in to the broker as', 'must be letters, digits, . - and _', (given) =>
    /^[\w.-]+$/.test(given),
  ).optional(),
  NATS_PASSWORD: brokerPassword('NATS_USER'),
  NATS_NKEY_SEED: brokerSeed(),
  NATS_CREDS: brokerCreds(),
};

/** The same for tools, which log in as the broker's admin. */
export const adminConfig = {
  ...brokerAddress,
  NATS_ADMIN_PASSWORD: brokerPassword("the broker's admin"),
  NATS_ADMIN_NKEY_SEED: brokerSeed(),
  NATS_ADMIN_CREDS: brokerCreds(),
};

type AdminConfig = z.output<z.ZodObject<typeof adminConfig>>;

/** The address of the broker with the admin's login. */
export const adminAddress = (config: AdminConfig): BusAddress => ({
  NATS_URL: config.NATS_URL,
  NATS_CA: config.NATS_CA,
  NATS_CERT: config.NATS_CERT,
  NATS_KEY: config.NATS_KEY,
  NATS_USER: 'admin',
  NATS_PASSWORD: config.NATS_ADMIN_PASSWORD,
  NATS_NKEY_SEED: config.NATS_ADMIN_NKEY_SEED,
  NATS_CREDS: config.NATS_ADMIN_CREDS,
});

const ADDRESS = /^(tls:\/\/)?(\[|\d+\.\d+\.\d+\.\d+(:|$))/;

/**
 * Checks that there is one login, that a certificate has its key, and that host names are used where certificates are
 * verified.
 */
export const oneBrokerLogin = (config: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const addFault = (name: string, error: string): void =>
    context.addIssue({ code: 'custom', path: [name], message: error });
  for (const prefix of ['NATS', 'NATS_ADMIN']) {
    const logins = [`${prefix}_PASSWORD`, `${prefix}_NKEY_SEED`, `${prefix}_CREDS`];
    const [first, second] = logins.filter((name) => config[name] !== undefined);
    if (first !== undefined && second !== undefined)
      addFault(second, `must not be set together with ${first}: set only one of them`);
  }
  const { NATS_URL: url, NATS_CA: ca, NATS_CERT: cert, NATS_KEY: key } = config;
  if ((cert === undefined) !== (key === undefined))
    addFault(
      cert === undefined ? 'NATS_CERT' : 'NATS_KEY',
      'is not set: a certificate needs its key and a key its certificate',
    );
  const servers = typeof url === 'string' ? url.split(',').map((one) => one.trim()) : [];
  const usesIpAddress = servers.some((one) => ADDRESS.test(one) && (ca !== undefined || one.startsWith('tls://')));
  if (usesIpAddress)
    addFault('NATS_URL', 'must contain host names, not IP addresses: the certificate is verified for a name');
};

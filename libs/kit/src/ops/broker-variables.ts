import type { z } from 'zod';
import type { BusAddress } from '../rpc/bus-login.ts';
import { secretVariable } from './secret-variable.ts';
import { brokers, certificates, credentials, passwords, pemKey, textLike, userSeed } from './variables.ts';

/** Where the broker is, and by which certificates both sides know each other. */
export const brokerAddress = {
  NATS_URL: brokers("the broker's address"),
  /** TLS is asked for when it is given, or by `tls://`. */
  NATS_CA: secretVariable(certificates("the certificates that the broker's is signed by")).optional(),
  NATS_CERT: secretVariable(certificates('our certificate for the broker')).optional(),
  NATS_KEY: secretVariable(pemKey('the private key of NATS_CERT')).optional(),
};

/** The ways to log in, of which a process has one. */
export const brokerPassword = (user: string) =>
  secretVariable(passwords(`the password of ${user}; several by line while it is exchanged`)).optional();
export const brokerSeed = () => secretVariable(userSeed('the seed of the key of a user (nkey)')).optional();
export const brokerCreds = () => secretVariable(credentials('the content of a .creds file')).optional();

/** What every process on the bus needs to reach it. */
export const brokerConfig = {
  ...brokerAddress,
  /** Part of subjects, and what NATS_PASSWORD belongs to. */
  NATS_USER: textLike('the name to log in to the broker as', 'must be letters, digits, . - and _', (given) =>
    /^[\w.-]+$/.test(given),
  ).optional(),
  NATS_PASSWORD: brokerPassword('NATS_USER'),
  NATS_NKEY_SEED: brokerSeed(),
  NATS_CREDS: brokerCreds(),
};

/** The same for tools, which are the broker's admin. */
export const adminConfig = {
  ...brokerAddress,
  NATS_ADMIN_PASSWORD: brokerPassword("the broker's admin"),
  NATS_ADMIN_NKEY_SEED: brokerSeed(),
  NATS_ADMIN_CREDS: brokerCreds(),
};

type AdminConfig = z.output<z.ZodObject<typeof adminConfig>>;

/** The broker as its admin. */
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

/** One login, a key with its certificate, and host names where certificates are looked at. */
export const oneBrokerLogin = (config: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const fault = (name: string, error: string): void =>
    context.addIssue({ code: 'custom', path: [name], message: error });
  for (const prefix of ['NATS', 'NATS_ADMIN']) {
    const logins = [`${prefix}_PASSWORD`, `${prefix}_NKEY_SEED`, `${prefix}_CREDS`];
    const [first, second] = logins.filter((name) => config[name] !== undefined);
    if (first !== undefined && second !== undefined) fault(second, `must not be set beside ${first}: a login has one`);
  }
  const { NATS_URL: url, NATS_CA: ca, NATS_CERT: cert, NATS_KEY: key } = config;
  if ((cert === undefined) !== (key === undefined))
    fault(cert === undefined ? 'NATS_CERT' : 'NATS_KEY', 'is not set: a certificate and its key come together');
  const servers = typeof url === 'string' ? url.split(',').map((one) => one.trim()) : [];
  const isByAddress = servers.some((one) => ADDRESS.test(one) && (ca !== undefined || one.startsWith('tls://')));
  if (isByAddress) fault('NATS_URL', 'must name hosts, not addresses: the certificate is looked at for a name');
};

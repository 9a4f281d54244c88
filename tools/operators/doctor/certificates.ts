import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LiveValue } from '../../../libs/kit/src/base/live-value.ts';
import type { Finding } from './findings.ts';
import type { Configs } from './installation.ts';

const DAY_MS = 86_400_000;
/** Days before its end at which a certificate becomes a finding. */
const SOON_DAYS = 14;

/** A certificate, with its key if it is the process's own. */
interface Held {
  process: string;
  /** The variable that it comes from. */
  variable: string;
  pem: string;
  key?: string;
}

const ALL = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(ALL) ?? []).map((one) => new X509Certificate(one));

const lifeOf = ({ process, variable }: Held, one: X509Certificate, now: Date): Finding[] => {
  const days = Math.floor((one.validToDate.getTime() - now.getTime()) / DAY_MS);
  if (days >= SOON_DAYS && one.validFromDate <= now) return [];
  const when = days < 0 ? 'ended' : one.validFromDate > now ? 'is not valid yet, it ends' : 'ends';
  return [
    {
      check: 'certificate',
      about: [process],
      wrong: `a certificate in ${variable} ${when} on ${one.validToDate.toISOString().slice(0, 10)}`,
      mend: `replace it; it is read again without a restart (docs/secrets.md)`,
    },
  ];
};

const fits = ({ process, variable, key }: Held, own: X509Certificate | undefined): Finding[] => {
  if (key === undefined || own === undefined || own.checkPrivateKey(createPrivateKey(key))) return [];
  return [
    {
      check: 'certificate',
      about: [process],
      wrong: `the certificate in ${variable} does not belong to the private key beside it`,
      mend: 'use the certificate and the key of the same request; replace both at once',
    },
  ];
};

const ofBroker = (process: string, config: BrokerFiles): Held[] => {
  const { NATS_CA, NATS_CERT, NATS_KEY } = config;
  return [
    ...(NATS_CA === undefined ? [] : [{ process, variable: 'NATS_CA', pem: NATS_CA() }]),
    ...(NATS_CERT === undefined || NATS_KEY === undefined
      ? []
      : [{ process, variable: 'NATS_CERT', pem: NATS_CERT(), key: NATS_KEY() }]),
  ];
};
interface BrokerFiles {
  NATS_CA?: LiveValue<string> | undefined;
  NATS_CERT?: LiveValue<string> | undefined;
  NATS_KEY?: LiveValue<string> | undefined;
}

/** The files that a database URL names. They were readable when the variables were read. */
const ofDatabase = (process: string, variable: string, url: string): Held[] => {
  const { searchParams } = new URL(url);
  const content = (name: string): string | undefined => {
    const file = searchParams.get(name);
    return file === null ? undefined : readFileSync(file, 'utf8');
  };
  const [ca, cert, key] = [content('sslrootcert'), content('sslcert'), content('sslkey')];
  return [
    ...(ca === undefined ? [] : [{ process, variable: `${variable} (sslrootcert)`, pem: ca }]),
    ...(cert === undefined ? [] : [{ process, variable: `${variable} (sslcert)`, pem: cert, ...(key && { key }) }]),
  ];
};

const heldBy = ({ gateway, services, migrate }: Configs): Held[] => [
  ...(gateway === undefined ? [] : ofBroker('gateway', gateway)),
  ...services.flatMap(({ name, config }) => [
    ...ofBroker(name, config),
    ...ofDatabase(name, 'DATABASE_URL', config.DATABASE_URL()),
    ...ofDatabase(name, 'WORKER_DATABASE_URL', config.WORKER_DATABASE_URL()),
  ]),
  ...(migrate === undefined ? [] : ofBroker('migrate', migrate)),
];

/** Findings about the validity of the processes' certificates. */
export const certificates = (configs: Configs, now: Date): Finding[] =>
  heldBy(configs).flatMap((held) => certificatesIn(held.pem).flatMap((one) => lifeOf(held, one, now)));

/** The processes whose certificate does not belong to their key; they cannot connect. */
export const misfits = (configs: Configs): Finding[] =>
  heldBy(configs).flatMap((held) => fits(held, certificatesIn(held.pem)[0]));

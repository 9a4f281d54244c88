// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 needs this polyfill
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A certificate and its private key, both as PEM. */
export interface IssuedCertificate {
  cert: string;
  key: string;
}

export interface CertificateRequest {
  /** For a server its host names and IP addresses; for a client the name of its user. */
  names: readonly string[];
  /** Days of validity from now; negative for an expired certificate. Default 20. */
  days?: number;
}

/** A certificate authority for tests. */
export interface Authority {
  cert: string;
  issue: (wanted: CertificateRequest) => Promise<IssuedCertificate>;
}

type Keys = webcrypto.CryptoKeyPair;
const newKeys = (): Promise<Keys> => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
const pemOf = async ({ privateKey }: Keys): Promise<string> => {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
};
const serial = (): string => Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex');
const san = (name: string) =>
  /^[\d.]+$/.test(name) ? ({ type: 'ip', value: name } as const) : ({ type: 'dns', value: name } as const);

export const createAuthority = async (name: string): Promise<Authority> => {
  const keys = await newKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${serial()}`,
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 30 * DAY_MS),
    notAfter: new Date(Date.now() + 30 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    cert: `${root.toString('pem')}\n`,
    issue: async ({ names, days = 20 }) => {
      const own = await newKeys();
      const cert = await X509CertificateGenerator.create({
        serialNumber: `01${serial()}`,
        subject: `CN=${names[0] ?? ''}`,
        issuer: root.subject,
        notBefore: new Date(Date.now() - 20 * DAY_MS),
        notAfter: new Date(Date.now() + days * DAY_MS),
        signingAlgorithm: ALGORITHM,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [new SubjectAlternativeNameExtension(names.map(san))],
      });
      return { cert: `${cert.toString('pem')}\n`, key: await pemOf(own) };
    },
  };
};

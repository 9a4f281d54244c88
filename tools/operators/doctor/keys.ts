import { createPublicKey, type KeyObject } from 'node:crypto';
import { reasonOf } from '../../../libs/kit/src/telemetry/failure-log.ts';
import { readKeyFile, fetchKeySet } from '../../../services/gateway/src/auth/public-keys.ts';
import type { GatewayConfig } from '../../../services/gateway/src/config.ts';
import { discover, providerErrorReason } from '../../../services/gateway/src/session/provider.ts';
import { loginSettings } from '../../../services/gateway/src/session/login-config.ts';
import type { Finding } from './findings.ts';
import type { Configs } from './installation.ts';

const publicText = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).toString('base64url');

/** Services accept callers that the gateway signed, and verify them with the public half of its key. */
export const sealKeys = ({ gateway, services }: Configs): Finding[] => {
  if (gateway === undefined) return [];
  const open = publicText(createPublicKey(gateway.CALLER_SEAL_KEY()));
  const strangers = services.filter(({ config }) => !config.CALLER_KEYS().some((key) => publicText(key) === open));
  return strangers.map(({ name }) => ({
    check: 'seal-keys',
    about: [name],
    wrong:
      'CALLER_KEYS does not hold the public half of the CALLER_SEAL_KEY of the gateway: every request would be refused',
    mend: 'add the public half to CALLER_KEYS of each service (docs/secrets.md), or give the gateway the matching private half',
  }));
};

/** Every process must verify what the others sign. */
export const signingSecrets = ({ gateway, services }: Configs): Finding[] => {
  const all = [...(gateway === undefined ? [] : [{ name: 'gateway', config: gateway }]), ...services].map(
    ({ name, config }) => ({ name, known: config.SIGNING_SECRET() }),
  );
  const first = all.map(({ known: [signing] }) => signing);
  const strangers = all.filter(({ known }) => !first.every((one) => known.includes(one)));
  // One odd process lacks the secret of all others, and they lack its own: the one with the rarest secret is at fault.
  const held = (secret: string): number => all.filter(({ known }) => known.includes(secret)).length;
  const fewest = Math.min(...strangers.map(({ known: [signing] }) => held(signing)));
  return strangers
    .filter(({ known: [signing] }) => held(signing) === fewest)
    .map(({ name }) => ({
      check: 'signing-secret',
      about: [name],
      wrong: 'SIGNING_SECRET differs from the other processes: cursors and consistency tokens would be refused',
      mend: 'set the same list in SIGNING_SECRET of every process (docs/secrets.md)',
    }));
};

const found = (wrong: string, mend: string): Finding[] => [{ check: 'token-keys', about: ['gateway'], wrong, mend }];

const ofUrl = async (url: string, alg: string): Promise<Finding[]> => {
  try {
    const keys = await fetchKeySet(url, alg);
    if (keys.length > 0) return [];
    return found(
      `no key at JWKS_URL verifies ${alg}`,
      'set JWT_ALGORITHM to the algorithm of the issuer, or let the issuer publish such a key',
    );
  } catch (error) {
    return found(
      `the keys at JWKS_URL cannot be read: ${reasonOf(error)}`,
      'correct JWKS_URL, or open the network path to the issuer',
    );
  }
};

/** Checks the keys of the token issuer, read like the gateway reads them. */
export const tokenKeys = async (gateway: GatewayConfig | undefined): Promise<Finding[]> => {
  if (gateway === undefined) return [];
  const { JWKS_URL, JWKS_FILE = '', JWT_ALGORITHM: alg } = gateway;
  if (JWKS_URL !== undefined) return ofUrl(JWKS_URL, alg);
  try {
    await readKeyFile(JWKS_FILE, alg);
    return [];
  } catch (error) {
    return found(reasonOf(error), 'correct JWKS_FILE, its content, or JWT_ALGORITHM');
  }
};

/** Checks the login provider by its own description, like the gateway. */
export const loginProvider = async (gateway: GatewayConfig | undefined): Promise<Finding[]> => {
  const settings = gateway && loginSettings(gateway);
  if (settings === undefined) return [];
  try {
    await discover(settings, settings.client_secrets()[0] ?? '');
    return [];
  } catch (error) {
    return [
      {
        check: 'login-provider',
        about: ['gateway'],
        wrong: `no log-in is possible: there is no OpenID provider at ${settings.issuer.href}: ${providerErrorReason(error)}`,
        mend: 'correct OIDC_ISSUER, or open the network path to it',
      },
    ];
  }
};

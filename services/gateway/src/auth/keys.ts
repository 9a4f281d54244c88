import { errors, exportSPKI, type JWTVerifyGetKey } from 'jose';
import { Problem } from '@teaching/contracts';
import type { Logger } from '@teaching/kit';
import type { GatewayConfig } from '../config.ts';
import { keysOfFile, keysOfUrl } from './key-set.ts';

/** The public keys of the token issuer. */
export interface Keys {
  /** False until they could be read for the first time. */
  areThere: () => boolean;
  /** The key (PEM) for a token's `kid`. */
  find: (kid: string | undefined) => Promise<string>;
}

const unavailable = (detail: string): Problem => new Problem('unavailable', detail);

const finder =
  (find: JWTVerifyGetKey, alg: string): Keys['find'] =>
  async (kid) => {
    try {
      const key = await find({ alg, ...(kid === undefined ? {} : { kid }) }, { payload: '', signature: '' });
      if (key instanceof CryptoKey) return await exportSPKI(key);
      throw unavailable('The issuer published something that is not a public key');
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw unavailable('The keys of the token issuer cannot be read');
    }
  };

/** Reads the issuer's keys: a file must be right, a URL may answer later. `stop` ends the waiting. */
export const openKeys = async (config: GatewayConfig, log: Logger, stop: AbortSignal): Promise<Keys> => {
  const { JWKS_URL, JWKS_FILE, JWT_ALGORITHM: alg } = config;
  if (JWKS_URL === undefined) {
    const find = finder(await keysOfFile(JWKS_FILE ?? '', alg), alg);
    return { areThere: () => true, find };
  }
  const keys = keysOfUrl(JWKS_URL, alg, log, stop);
  const find = finder(keys.find, alg);
  return {
    areThere: keys.areThere,
    find: async (kid) => {
      if (!keys.areThere()) throw unavailable('The keys of the token issuer are not there yet');
      return find(kid);
    },
  };
};

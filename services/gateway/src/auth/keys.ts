import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, createRemoteJWKSet, errors, exportSPKI, type JWTVerifyGetKey } from 'jose';
import { Problem } from '@teaching/contracts';
import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';

const Jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

const keySet = async ({ JWKS_URL, JWKS_FILE }: GatewayConfig): Promise<JWTVerifyGetKey> => {
  if (JWKS_URL !== undefined) return createRemoteJWKSet(new URL(JWKS_URL));
  if (JWKS_FILE === undefined) throw new Error('configuration is not valid: set JWKS_URL or JWKS_FILE');
  return createLocalJWKSet(Jwks.parse(JSON.parse(await readFile(JWKS_FILE, 'utf8'))));
};

/** Finds the public key (PEM) for a token's `kid` among the issuer's keys. */
export const createKeyFinder = async (config: GatewayConfig): Promise<(kid: string | undefined) => Promise<string>> => {
  const find = await keySet(config);
  const alg = config.JWT_ALGORITHM;
  return async (kid) => {
    try {
      const key = await find({ alg, ...(kid === undefined ? {} : { kid }) }, { payload: '', signature: '' });
      if (key instanceof CryptoKey) return await exportSPKI(key);
      throw new Problem('unavailable', 'The issuer published something that is not a public key');
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new Problem('unavailable', 'The keys of the token issuer cannot be read');
    }
  };
};

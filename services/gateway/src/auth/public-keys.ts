import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '@teaching/kit';
import { z } from 'zod';

/** A key of the token issuer that verifies tokens of the configured algorithm. */
export interface PublicKey {
  readonly kid: string | undefined;
  readonly pem: string;
}

/** Reads the keys from their source; the error names the fault. */
export type ReadKeys = () => Promise<PublicKey[]>;

const FETCH_MS = 5_000;
/** Longest key set, in characters. */
const MAX_SET = 262_144;
const LEAST_RSA_BITS = 2_048;
const FORM = '{"keys":[{"kty":"EC","crv":"P-256","x":"…","y":"…","kid":"…"}]}';

const text = z.string().optional();
const Jwk = z.looseObject({ kty: z.string(), crv: text, kid: text, use: text, alg: text });
const Jwks = z.object({ keys: z.array(Jwk) });
type Jwk = z.output<typeof Jwk>;

/** The key type of each algorithm (RFC 7518 §6.1, RFC 8037 §2). */
const KINDS: Readonly<Record<string, { kty: string; crv?: string }>> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  RS256: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
};

const isFor = (jwk: Jwk, alg: string): boolean => {
  const kind = KINDS[alg];
  if (kind === undefined || jwk.kty !== kind.kty || (kind.crv !== undefined && jwk.crv !== kind.crv)) return false;
  const { key_ops: uses = ['verify'] } = jwk;
  const verifies = (jwk.use ?? 'sig') === 'sig' && (jwk.alg ?? alg) === alg && Array.isArray(uses);
  // A published private key is not secret, so it is ignored.
  return verifies && uses.includes('verify') && !('d' in jwk);
};

const isStrong = ({ asymmetricKeyDetails }: KeyObject): boolean =>
  (asymmetricKeyDetails?.modulusLength ?? LEAST_RSA_BITS) >= LEAST_RSA_BITS;

const keyOf = (jwk: Jwk): PublicKey[] => {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return isStrong(key) ? [{ kid: jwk.kid, pem: key.export({ type: 'spki', format: 'pem' }).toString() }] : [];
  } catch {
    return [];
  }
};

/** The keys of a published set (RFC 7517) that verify an algorithm; others and broken keys are skipped. */
export const parseKeySet = (content: string, alg: string): PublicKey[] => {
  const json = ((): unknown => {
    try {
      return JSON.parse(content);
    } catch {
      throw new Error(`is not JSON: it must be a key set as ${FORM}`);
    }
  })();
  const set = Jwks.safeParse(json);
  if (!set.success) throw new Error(`is not a key set as ${FORM}`);
  return set.data.keys.filter((jwk) => isFor(jwk, alg)).flatMap(keyOf);
};

/** The keys of a file; throws a `ConfigError` that names the fault, also when no key is suitable. */
export const readKeyFile = async (path: string, alg: string): Promise<PublicKey[]> => {
  const fault = (what: string): ConfigError => new ConfigError(`JWKS_FILE names a file that ${what}`);
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fault(error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.code}`);
  });
  const keys = ((): PublicKey[] => {
    try {
      return parseKeySet(content, alg);
    } catch (error) {
      throw fault(error instanceof Error ? error.message : String(error));
    }
  })();
  if (keys.length === 0) throw fault(`holds no public key that verifies ${alg} (JWT_ALGORITHM)`);
  return keys;
};

/** The reason of an error; `fetch` stores it in the cause. */
export const connectionErrorReason = (error: unknown): string => {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  if (!(cause instanceof Error)) return message;
  return 'code' in cause && cause.message === '' ? String(cause.code) : cause.message;
};

const contentOf = async (url: string): Promise<string> => {
  // A redirect is refused: when an issuer moves, the operator changes the configuration.
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_MS) }).catch(
    (error: unknown) => {
      throw new Error(connectionErrorReason(error), { cause: error });
    },
  );
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`the answer has the status ${answer.status}`);
  }
  let content = '';
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    content += part;
    if (content.length > MAX_SET) throw new Error(`the answer has more than ${MAX_SET} characters`);
  }
  return content;
};

/** The keys behind a URL. The error does not repeat the response of the issuer. */
export const fetchKeySet = async (url: string, alg: string): Promise<PublicKey[]> => {
  const content = await contentOf(url);
  try {
    return parseKeySet(content, alg);
  } catch (error) {
    throw new Error(`the answer ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

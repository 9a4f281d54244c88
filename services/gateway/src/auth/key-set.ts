import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { ConfigError, type Logger, TroubleTeller, wait } from '@teaching/kit';
import { z } from 'zod';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** How often it is said that the keys are not there. */
const SAY_MS = 5_000;

const Jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
const FORM = '{"keys":[{"kty":"EC","crv":"P-256","x":"…","y":"…","kid":"…"}]}';
/** A key is looked for by what a token says, and here nothing but the algorithm is said. */
const NO_TOKEN = { payload: '', signature: '' };

const hasKeyFor = async (alg: string, set: JSONWebKeySet): Promise<boolean> => {
  try {
    await createLocalJWKSet(set)({ alg }, NO_TOKEN);
    return true;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) for await (const _key of error) return true;
    return false;
  }
};

/** The keys of a file, for tokens of one algorithm; says what is wrong with it. */
export const keysOfFile = async (path: string, alg: string): Promise<JWTVerifyGetKey> => {
  const fault = (what: string): ConfigError => new ConfigError(`JWKS_FILE names a file that ${what}`);
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fault(error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.code}`);
  });
  const json = ((): unknown => {
    try {
      return JSON.parse(content);
    } catch {
      throw fault(`is not JSON: it must be a key set as ${FORM}`);
    }
  })();
  const set = Jwks.safeParse(json);
  if (!set.success) throw fault(`is not a key set as ${FORM}`);
  if (!(await hasKeyFor(alg, set.data))) throw fault(`holds no public key that verifies ${alg} (JWT_ALGORITHM)`);
  return createLocalJWKSet(set.data);
};

/** What `fetch` says is in the cause; what an issuer answered is not repeated. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof errors.JOSEError || !(cause instanceof Error)) return message;
  return 'code' in cause && cause.message === '' ? String(cause.code) : cause.message;
};

/** Keys that are fetched, again whenever they are old or lack one. */
export interface FetchedKeys {
  find: JWTVerifyGetKey;
  /** Whether they were there at least once. */
  areThere: () => boolean;
}

/** Fetches the keys of a URL, tries until they are there or `stop` is aborted, and says meanwhile what it waits for. */
export const keysOfUrl = (url: string, alg: string, log: Logger, stop: AbortSignal): FetchedKeys => {
  const remote = createRemoteJWKSet(new URL(url));
  const teller = new TroubleTeller(log, 'waiting for the keys of the token issuer (JWKS_URL)', SAY_MS);
  let areThere = false;

  const fetchOnce = async (): Promise<void> => {
    try {
      await remote.reload();
      areThere = await hasKeyFor(alg, remote.jwks() ?? { keys: [] });
      if (areThere) teller.over();
      else teller.tell(`there is no public key that verifies ${alg} (JWT_ALGORITHM)`);
    } catch (error) {
      teller.tell(reasonOf(error));
    }
  };
  const fetchUntilThere = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; !stop.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await fetchOnce();
      if (areThere) return;
      await wait(pause, stop);
    }
  };
  void fetchUntilThere();
  return { find: remote, areThere: () => areThere };
};

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { tlsProblem } from './tls-problem.ts';

/** The given value, for a message. Never used for a variable that may hold a secret. */
const shown = (given: unknown): string => JSON.stringify(String(given).slice(0, 40));

/** Text of any form. `what` is its description, also shown when it is missing. */
export const text = (what: string) => z.string().describe(what);

/**
 * Text of a form that `isRight` checks. `rule` describes the form, e.g. `must be …`. Messages do not contain the given
 * text: it may be a secret.
 */
export const textLike = (what: string, rule: string, isRight: (given: string) => boolean) =>
  z.string().refine(isRight, { error: rule }).describe(what);

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((given) => /^\d{1,15}$/.test(given) && Number(given) >= min && Number(given) <= max, {
      error: ({ input }) => `must be a whole number from ${min} to ${max}, not ${shown(input)}`,
    })
    .transform(Number);

/** A TCP port; 0 selects a free one. */
export const port = () => wholeNumber(0, 65_535);

export const oneOf = <const T extends readonly string[]>(...names: T) =>
  z.enum(names, { error: ({ input }) => `must be one of ${names.join(', ')}, not ${shown(input)}` });

export const yesOrNo = () => z.stringbool({ error: ({ input }) => `must be true or false, not ${shown(input)}` });

const parsed = (given: string): URL | undefined => URL.parse(given) ?? undefined;

/** A secret of at least `least` characters. */
export const secret = (what: string, least: number) =>
  textLike(what, `must have at least ${least} characters`, (given) => given.length >= least);

/** One secret of at least `least` characters, or several separated by commas. A secret contains no comma. */
export const secrets = (what: string, least: number) =>
  textLike(what, `must have at least ${least} characters; several by commas, each with as many`, (given) =>
    given.split(',').every((one) => one.length >= least),
  )
    .transform((given): readonly [string, ...string[]] => {
      const [first = given, ...others] = given.split(',');
      return [first, ...others];
    })
    .describe(what);

/** An HTTP address. */
export const httpUrl = (what: string, example: string) =>
  textLike(what, `is not an HTTP address, e.g. ${example}`, (given) =>
    ['http:', 'https:'].includes(parsed(given)?.protocol ?? ''),
  );

/** A Postgres URL with user and database. TLS is used with `sslmode=verify-full`, as in libpq. */
export const postgresUrl = (what: string, example: string) =>
  z
    .string()
    .superRefine((given, context) => {
      const url = parsed(given);
      const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
      const isWhole = isPostgres && url.username !== '' && url.pathname.length > 1;
      const wrong = isWhole ? tlsProblem(url) : `is not a Postgres URL with user and database, e.g. ${example}`;
      if (wrong !== undefined) context.addIssue(wrong);
    })
    .describe(`${what}, e.g. ${example}`);

/** One or several passwords, one on each line: a password may contain any other character. */
export const passwords = (what: string, least = 1) =>
  textLike(what, `must have at least ${least} characters; several by line, each with as many`, (given) =>
    given.split(/\r?\n/).every((one) => one.length >= least),
  )
    .transform((given): readonly string[] => given.split(/\r?\n/))
    .describe(what);

const isReadable = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** One or several certificates as PEM. */
export const certificates = (what: string) =>
  textLike(what, 'must be certificates as PEM', (given) => {
    const all = given.match(CERTIFICATE) ?? [];
    return all.length > 0 && all.every((one) => isReadable(() => new X509Certificate(one)));
  });

/** A private key without a passphrase. */
export const pemKey = (what: string) =>
  textLike(what, 'must be a private key as PEM, without a passphrase', (given) =>
    isReadable(() => createPrivateKey(given)),
  );

/** The seed of a broker user. The key is verified when it is used. */
export const userSeed = (what: string) =>
  textLike(what, 'must be the seed of a user: SU and 56 capital letters and digits', (given) =>
    /^SU[A-Z2-7]{56}$/.test(given),
  );

/** The content of a `.creds` file: a JWT of a user and the seed of its key. */
export const credentials = (what: string) =>
  textLike(what, 'must be the content of a .creds file: a JWT of a user and its seed', (given) =>
    /BEGIN NATS USER JWT-+\s+[\w.-]+\s+-+END[\s\S]+BEGIN USER NKEY SEED-+\s+SU[A-Z2-7]{56}\s+-+END/.test(given),
  );

/**
 * `nats://broker:4222`, `tls://broker:4222` or `broker:4222`. A login in the URL would be ignored, so it is refused.
 */
const isBroker = (given: string): boolean => {
  const url = parsed(given.includes('://') ? given : `nats://${given}`);
  const isNats = url?.protocol === 'nats:' || url?.protocol === 'tls:';
  return isNats && url.hostname !== '' && url.username === '' && url.password === '' && /^\/?$/.test(url.pathname);
};

/** One broker, or several of a cluster separated by commas. */
export const brokers = (what: string) =>
  textLike(
    `${what}, e.g. nats://broker:4222`,
    'is not the address of a broker without a login, e.g. nats://broker:4222; several by commas',
    (given) => given.split(',').every((one) => isBroker(one.trim())),
  );

/** Returns the key from `read`, or adds the problem, which never contains the key. */
const keyRead = (read: () => KeyObject, context: z.RefinementCtx): KeyObject => {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The problem is added below.
  }
  context.addIssue('must be an Ed25519 key, DER in base64url (PKCS 8 if private, SPKI if public)');
  return z.NEVER;
};
const derOf = (given: string): Buffer => Buffer.from(given.trim(), 'base64url');

/** A private Ed25519 key: its PKCS 8 DER in base64url. */
export const privateKey = (what: string) =>
  text(what)
    .transform((given, context) =>
      keyRead(() => createPrivateKey({ key: derOf(given), format: 'der', type: 'pkcs8' }), context),
    )
    .describe(what);

/** Public Ed25519 keys separated by commas: their SPKI DER in base64url. */
export const publicKeys = (what: string) =>
  text(what)
    .transform((given, context) =>
      given
        .split(',')
        .map((one) => keyRead(() => createPublicKey({ key: derOf(one), format: 'der', type: 'spki' }), context)),
    )
    .describe(what);

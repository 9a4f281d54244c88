import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readOrMake } from './file.ts';

/** Services with a database schema of their own; the gateway has none. */
export const SERVICES = ['clazz', 'course', 'package', 'stats'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** As in deploy/nats/users.conf. */
export const NATS_USERS = ['gateway', ...SERVICES, 'admin'] as const;

const RolePasswords = z.object({ owner: z.string(), app: z.string(), worker: z.string() });

/** The content of secrets.json. */
const Stored = z.object({
  /** Signs cursors and consistency tokens, so it is the same everywhere. */
  signing: z.string().min(32),
  database: z.record(z.enum(SERVICES), RolePasswords),
  nats: z.record(z.enum(NATS_USERS), z.string()),
});
export type Secrets = z.infer<typeof Stored> & {
  /** With its private half the gateway seals callers, with the public one services open them. */
  caller: { seal: string; open: string };
};

/** Begins with a letter: nats-server would read a password like `12e4` as a number. */
export const secret = (): string => `s${randomBytes(24).toString('hex')}`;

const newSecrets = () =>
  Stored.parse({
    signing: secret(),
    database: Object.fromEntries(SERVICES.map((name) => [name, { owner: secret(), app: secret(), worker: secret() }])),
    nats: Object.fromEntries(NATS_USERS.map((name) => [name, secret()])),
  });

export const newSealKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
export const publicHalf = (seal: string): string =>
  createPublicKey(createPrivateKey({ key: Buffer.from(seal, 'base64url'), format: 'der', type: 'pkcs8' }))
    .export({ format: 'der', type: 'spki' })
    .toString('base64url');

/** The secrets of this data folder, made at the first call. */
export const secretsIn = (dataDir: string): Secrets => {
  const text = readOrMake(join(dataDir, 'secrets.json'), () => JSON.stringify(newSecrets(), null, 2));
  const seal = readOrMake(join(dataDir, 'caller-seal.key'), newSealKey);
  return { ...Stored.parse(JSON.parse(text)), caller: { seal, open: publicHalf(seal) } };
};

export const natsPasswordName = (user: string): string => `NATS_${user.toUpperCase()}_PASSWORD`;

/** The environment that deploy/nats/users.conf reads its passwords from. */
export const natsPasswords = (secrets: Pick<Secrets, 'nats'>): Record<string, string> =>
  Object.fromEntries(NATS_USERS.map((user) => [natsPasswordName(user), secrets.nats[user]]));

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageCalls, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AUDIENCE, ISSUER } from '@teaching/local/keys.ts';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { startGateway } from './gateway.ts';
import { requestHead, openRawConnection, firstStatus } from './raw-http.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

type Signature = (text: string) => string;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** All claims of a supervisor's token. */
const claims = (org_id = fixture.org) => ({
  sub: 'mallory',
  org_id,
  roles: [...ROLES],
  iss: ISSUER,
  aud: AUDIENCE,
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 60,
});
const forged = (header: object, signature: Signature, said: object = claims()): string => {
  const unsigned = `${part({ typ: 'JWT', ...header })}.${part(said)}`;
  return `Bearer ${unsigned}.${signature(unsigned)}`;
};
const byKey =
  (key: KeyObject): Signature =>
  (text) =>
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
const byHash =
  (bits: string, secret: string | Buffer): Signature =>
  (text) =>
    createHmac(`sha${bits}`, secret).update(text).digest('base64url');
const unsigned: Signature = () => '';

const refused = async (authorization: string | undefined): Promise<void> => {
  const answer = await fixture.raw(authorization).get('/clazz/course-package/list/org');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect((await fixture.raw(authorization).refused(packageCalls.listPackages)).code).toBe('unauthenticated');
};
const taken = async (authorization: string): Promise<void> => {
  await fixture.raw(authorization).ok(packageCalls.listPackages);
};

describe('A token', () => {
  it('is required', () => refused(undefined));
  it('must be a bearer token', () => refused('Basic eDp5'));
  it('must have an unchanged payload', async () => {
    const [head, , signature] = fixture.token({ role: 'STUDENT' }).split('.');
    await refused(`Bearer ${head}.${part(claims())}.${signature}`);
  });
  it('must have the configured audience', () =>
    refused(`Bearer ${fixture.token({ role: 'TEACHER', audience: 'other' })}`));
  it('must come from the issuer', () =>
    refused(`Bearer ${fixture.token({ role: 'TEACHER', issuer: 'https://evil' })}`));
  it('must not have expired', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', ttlSeconds: -3600 })}`));
  it('may name an organization by any spelling of a UUID', () =>
    taken(`Bearer ${fixture.token({ role: 'TEACHER', org: '11111111-1111-1111-1111-111111111111' })}`));
  it('must name an organization', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', org: 'not-a-uuid' })}`));
});

/** The public forms of the issuer's key, in every form in which a program may store it. */
const PublicKey = z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string() });
const publicForms = (): Record<string, string | Buffer> => {
  const file = readFileSync(fixture.keys.jwksFile, 'utf8');
  const [published] = z.object({ keys: z.array(z.looseObject({})) }).parse(JSON.parse(file)).keys;
  const jwk: JsonWebKey = PublicKey.parse(published);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  const [x, y] = [Buffer.from(jwk.x ?? '', 'base64url'), Buffer.from(jwk.y ?? '', 'base64url')];
  return {
    'its PEM': pem,
    'its PEM without the last line break': pem.trimEnd(),
    'its PEM in one line': pem.replaceAll(/-----[A-Z ]+-----|\n/g, ''),
    'its DER': key.export({ type: 'spki', format: 'der' }),
    'its point': Buffer.concat([Buffer.from([4]), x, y]),
    'its JWK as published': JSON.stringify(published),
    'its JWK with the required members': JSON.stringify(jwk),
    'its JWK as Node exports it': JSON.stringify(key.export({ format: 'jwk' })),
    'its x': x,
    'its x as text': jwk.x ?? '',
    'the whole key set': file,
    'no secret at all': '',
  };
};

describe('A forged token', () => {
  const kid = () => fixture.keys.keyId;
  const own = () => createPrivateKey(fixture.keys.privatePem);

  it('would be accepted with a valid signature', () => taken(forged({ alg: 'ES256', kid: kid() }, byKey(own()))));

  it.each(Object.keys(claims('')))('is refused without %s', async (name) => {
    const said = Object.fromEntries(Object.entries(claims()).filter(([claim]) => claim !== name));
    await refused(forged({ alg: 'ES256', kid: kid() }, byKey(own()), said));
  });

  it.each(['256', '384', '512'])('is refused with HS%s and the public key as the secret', async (bits) => {
    for (const secret of Object.values(publicForms())) {
      await refused(forged({ alg: `HS${bits}`, kid: kid() }, byHash(bits, secret)));
      await refused(forged({ alg: `HS${bits}` }, byHash(bits, secret)));
      // A signature that matches the secret, with the name of the expected algorithm.
      await refused(forged({ alg: 'ES256', kid: kid() }, byHash(bits, secret)));
    }
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', undefined])(
    'is refused without a signature, with alg %s',
    async (alg) => {
      await refused(forged({ alg, kid: kid() }, unsigned));
      await refused(forged({ alg }, unsigned));
      await refused(forged({ alg, kid: kid() }, byKey(own())));
    },
  );

  it('is refused with a foreign key, for any header that names the key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    const x5c = [publicKey.export({ type: 'spki', format: 'der' }).toString('base64')];
    for (const header of [
      { kid: kid() },
      {},
      { kid: 'unknown' },
      { kid: kid(), jwk },
      { jwk },
      { kid: kid(), x5c },
      { kid: kid(), jku: 'https://evil.example/jwks.json' },
      { kid: '../../../../dev/null' },
    ]) {
      await refused(forged({ alg: 'ES256', ...header }, byKey(privateKey)));
    }
  });

  it('is refused with an empty, truncated or null signature', async () => {
    const header = { alg: 'ES256', kid: kid() };
    const right = byKey(own());
    await refused(forged(header, unsigned));
    await refused(forged(header, (text) => right(text).slice(0, 43)));
    // r = s = 0 passes the check of some faulty libraries for every text and key.
    await refused(forged(header, () => Buffer.alloc(64).toString('base64url')));
  });
});

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Tokens that are valid except for the named difference; all are refused with the same text. */
describe('A token signed by the issuer', () => {
  const kid = () => fixture.keys.keyId;
  const signed = (header: object, said: object = claims()): string =>
    forged({ alg: 'ES256', kid: kid(), ...header }, byKey(createPrivateKey(fixture.keys.privatePem)), said);

  it.each([
    ['requires an unknown extension', { crit: ['x'], x: 1 }],
    ['requires a known name as an extension', { crit: ['alg'] }],
    ['has an empty list of extensions', { crit: [] }],
    ['is for logging out', { typ: 'logout+jwt' }],
    ['is an identity token of another program', { typ: 'id_token' }],
    ['has another type', { typ: 'JOSE' }],
    ['has a type that is not text', { typ: 7 }],
    ['names a key by a number', { kid: 7 }],
  ])('is refused when it %s', (_what, header) => refused(signed(header)));

  it.each(['JWT', 'jwt', 'at+jwt', 'application/at+jwt', undefined])('may have the type %s', (typ) =>
    taken(signed({ typ })),
  );

  it.each([
    ['becomes valid later', { nbf: seconds() + 3_600 }],
    ['was issued at a time that is not a number', { iat: 'today' }],
    ['was issued a minute from now', { iat: Math.floor(Date.now() / 1000) + 60 }],
    ['was issued longer ago than any token is valid', { iat: Math.floor(Date.now() / 1000) - 91 * 86_400 }],
    ['ends at a time that is not a number', { exp: '2999' }],
    ['never ends', { exp: null }],
    ['has an empty subject', { sub: '' }],
    ['has a subject that no path can name', { sub: '.' }],
    ['has a subject that leads out of a path', { sub: '..' }],
    ['has roles that are no list', { roles: 'SUPERVISOR' }],
    ['is for another audience among others', { aud: ['other', 'another'] }],
  ])('is refused when it %s', (_what, said) => refused(signed({}, { ...claims(), ...said })));

  /** Whether a gateway with this leeway accepts tokens with these times, in seconds from now. */
  const accepted = async (leeway: string | undefined, all: readonly { exp?: number; nbf?: number; iat?: number }[]) => {
    const gateway = await startGateway(fixture, leeway === undefined ? {} : { JWT_LEEWAY_SECONDS: leeway });
    try {
      const codes: string[] = [];
      for (const times of all) {
        const now = seconds();
        const shifted = Object.entries({ iat: -1_000, ...times }).map(([name, s]) => [name, now + s] as const);
        const authorization = signed({}, { ...claims(), ...Object.fromEntries(shifted) });
        codes.push((await createApi(gateway.address, authorization).outcome(packageCalls.listPackages)).code);
      }
      return codes;
    } finally {
      await gateway.stop();
    }
  };
  const [yes, no] = ['done', 'unauthenticated'];

  it.each([
    [
      '10 seconds by default',
      undefined,
      [{ exp: -5 }, { nbf: 8 }, { iat: 8 }],
      [{ exp: -12 }, { nbf: 14 }, { iat: 14 }],
    ],
    ['0 seconds', '0', [{ exp: 60 }, { nbf: 0 }, { iat: 0 }], [{ exp: -1 }, { nbf: 4 }, { iat: 4 }]],
    ['60 seconds', '60', [{ exp: -40 }, { nbf: 50 }, { iat: 50 }], [{ exp: -62 }, { nbf: 66 }, { iat: 66 }]],
  ])('may differ from the clock by the leeway, %s', async (_what, leeway, good, bad) => {
    expect(await accepted(leeway, [...good, ...bad])).toEqual([yes, yes, yes, no, no, no]);
  });

  it('is accepted only in its exact form', async () => {
    const [, token = ''] = signed({}).split(' ');
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) await taken(`${scheme} ${token}`);
    const [head = '', body = '', signature = ''] = token.split('.');
    const forms = [
      `Bearer  ${token}`,
      `Bearer\t${token}`,
      `Bearer ${token} x`,
      `Bearer ${token},Bearer ${token}`,
      `Bearer ${token}=`,
      `Bearer ${head}.${body} .${signature}`,
      `Bearer ${head}.${body}.${signature}.`,
      `Bearer .${head}.${body}.${signature}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token.toLowerCase()}`,
      `Token ${token}`,
      token,
      'Bearer',
      'Bearer .',
      'Bearer ..',
    ];
    for (const form of forms) await refused(form);
  });

  it('may have at most 8 KiB; a longer one is refused as a token or a header', async () => {
    await taken(signed({}, { ...claims(), note: 'x'.repeat(4_000) }));
    await refused(signed({}, { ...claims(), note: 'x'.repeat(6_500) }));
    const { status } = await fixture.raw(signed({}, { ...claims(), note: 'x'.repeat(16_384) })).get('/clazz');
    expect(status).toBe(431);
  });

  it('is refused together with another token, in any order', async () => {
    const headers = [`authorization: ${signed({})}`, 'Authorization: Bearer x'];
    for (const both of [headers, headers.toReversed(), [headers[0] ?? '', headers[0] ?? '']]) {
      const line = await openRawConnection(fixture.address);
      line.socket.write(requestHead('GET /api/v1/clazz/course-package/list/org', ...both));
      expect(await firstStatus(line)).toBe(401);
      line.socket.destroy();
    }
  });

  it('causes no request to a URL that it names', async () => {
    let visits = 0;
    const stranger = createServer((_request, response) => {
      visits += 1;
      response.end(readFileSync(fixture.keys.jwksFile));
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = z.object({ port: z.int() }).parse(stranger.address());
    const url = `http://127.0.0.1:${port}/jwks.json`;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' });
    for (const header of [{ jku: url }, { x5u: url }, { jku: url, jwk }, { iss: url, kid: url }])
      await refused(forged({ alg: 'ES256', kid: kid(), ...header }, byKey(privateKey)));
    stranger.close();
    expect(visits).toBe(0);
  });
});

describe('The keys of an issuer', () => {
  const published = (publicKey: KeyObject, kid: string) => ({ ...publicKey.export({ format: 'jwk' }), kid });
  const pair = (kid: string) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return { jwk: published(publicKey, kid), authorization: () => forged({ alg: 'ES256', kid }, byKey(privateKey)) };
  };

  it('can change at a URL while requests run: new keys are accepted at once, removed keys refused', async () => {
    const [old, next] = [pair('old'), pair('next')];
    let set: object[] | undefined = [old.jwk];
    let reads = 0;
    const issuer = createServer((_request, response) => {
      reads += 1;
      if (set === undefined) response.destroy();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: set }));
    });
    issuer.listen(0, '127.0.0.1');
    await once(issuer, 'listening');
    const { port } = z.object({ port: z.int() }).parse(issuer.address());
    const gateway = await startGateway(fixture, { JWKS_FILE: '', JWKS_URL: `http://127.0.0.1:${port}/jwks.json` });
    const codeFor = async (authorization: string): Promise<string> =>
      (await createApi(gateway.address, authorization).outcome(packageCalls.listPackages)).code;
    try {
      const remembered = old.authorization();
      await expect.poll(() => codeFor(remembered)).toBe('done');
      // The issuer fails: known keys stay valid, also for new tokens.
      set = undefined;
      expect([await codeFor(remembered), await codeFor(old.authorization())]).toEqual(['done', 'done']);
      set = [next.jwk];
      const before = reads;
      const codes = await Promise.all(Array.from({ length: 20 }, () => codeFor(next.authorization())));
      expect(codes).toEqual(codes.map(() => 'done'));
      // Its key was removed: even a cached token is refused.
      expect(await codeFor(remembered)).toBe('unauthenticated');
      for (const kid of ['unknown', 'old']) expect(await codeFor(pair(kid).authorization())).toBe('unauthenticated');
      expect(reads - before).toBe(1);
    } finally {
      await gateway.stop();
      issuer.close();
    }
  });

  it('can change in a file that is written again', async () => {
    const [old, next] = [pair('old'), pair('next')];
    const folder = mkdtempSync(join(tmpdir(), 'teaching-keys-'));
    const JWKS_FILE = join(folder, 'jwks.json');
    const write = (...keys: object[]): void => writeFileSync(JWKS_FILE, JSON.stringify({ keys }));
    write(old.jwk);
    const gateway = await startGateway(fixture, { JWKS_FILE, JWKS_REFRESH_SECONDS: '1' });
    const codeFor = async (authorization: string): Promise<string> =>
      (await createApi(gateway.address, authorization).outcome(packageCalls.listPackages)).code;
    try {
      const remembered = old.authorization();
      expect(await codeFor(remembered)).toBe('done');
      const line = await openRawConnection(gateway.address);
      const answers = (): string[] =>
        [...line.text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].flatMap(([, status]) => status ?? []);
      const onTheLine = async (): Promise<string | undefined> => {
        const count = answers().length;
        line.socket.write(requestHead('GET /api/v1/clazz/course-package/list/org', `authorization: ${remembered}`));
        await expect.poll(answers, POLL_OPTIONS).toHaveLength(count + 1);
        return answers().at(-1);
      };
      for (let times = 0; times < 3; times += 1) expect(await onTheLine()).toBe('200');
      write(next.jwk);
      expect(await codeFor(next.authorization())).toBe('done');
      expect(await codeFor(remembered)).toBe('unauthenticated');
      // The cache of its connection is not used either.
      expect(await onTheLine()).toBe('401');
      line.socket.destroy();
      // The file is also read again at intervals.
      write(old.jwk);
      await expect.poll(() => codeFor(remembered)).toBe('done');
    } finally {
      await gateway.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

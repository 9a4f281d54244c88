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
import { headOf, openRawConnection, statusOn } from './raw-http.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

type Signature = (text: string) => string;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Everything that a token of a supervisor says. */
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

describe('a token', () => {
  it('is required', () => refused(undefined));
  it('is a bearer token', () => refused('Basic eDp5'));
  it('must carry an unchanged payload', async () => {
    const [head, , signature] = fixture.token({ role: 'STUDENT' }).split('.');
    await refused(`Bearer ${head}.${part(claims())}.${signature}`);
  });
  it('must not be for somebody else', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', audience: 'other' })}`));
  it('must come from the issuer', () =>
    refused(`Bearer ${fixture.token({ role: 'TEACHER', issuer: 'https://evil' })}`));
  it('must not have expired', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', ttlSeconds: -3600 })}`));
  it('may name an org by any UUID text', () =>
    taken(`Bearer ${fixture.token({ role: 'TEACHER', org: '11111111-1111-1111-1111-111111111111' })}`));
  it('must name an org', () => refused(`Bearer ${fixture.token({ role: 'TEACHER', org: 'not-a-uuid' })}`));
});

/** What anybody can read of the issuer's key, in every form in which a program may hold it. */
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

describe('a forged token', () => {
  const kid = () => fixture.keys.keyId;
  const own = () => createPrivateKey(fixture.keys.privatePem);

  it('would be taken if only its signature were right', () =>
    taken(forged({ alg: 'ES256', kid: kid() }, byKey(own()))));

  it.each(Object.keys(claims('')))('is not taken without %s', async (name) => {
    const said = Object.fromEntries(Object.entries(claims()).filter(([claim]) => claim !== name));
    await refused(forged({ alg: 'ES256', kid: kid() }, byKey(own()), said));
  });

  it.each(['256', '384', '512'])('is not taken with HS%s and the public key as the secret', async (bits) => {
    for (const secret of Object.values(publicForms())) {
      await refused(forged({ alg: `HS${bits}`, kid: kid() }, byHash(bits, secret)));
      await refused(forged({ alg: `HS${bits}` }, byHash(bits, secret)));
      // A signature that fits the secret, under the name of the algorithm that is expected.
      await refused(forged({ alg: 'ES256', kid: kid() }, byHash(bits, secret)));
    }
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', undefined])('is not taken unsigned, with alg %s', async (alg) => {
    await refused(forged({ alg, kid: kid() }, unsigned));
    await refused(forged({ alg }, unsigned));
    await refused(forged({ alg, kid: kid() }, byKey(own())));
  });

  it('is not taken with a key of somebody else, whatever it says of it', async () => {
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

  it('is not taken with an empty, a cut-off or a null signature', async () => {
    const header = { alg: 'ES256', kid: kid() };
    const right = byKey(own());
    await refused(forged(header, unsigned));
    await refused(forged(header, (text) => right(text).slice(0, 43)));
    // r = s = 0 solves the equation of some broken libraries for every text and key.
    await refused(forged(header, () => Buffer.alloc(64).toString('base64url')));
  });
});

const seconds = (): number => Math.floor(Date.now() / 1000);

/** What would be good but for what is said of it here; each is refused in the same words. */
describe('a token signed by the issuer', () => {
  const kid = () => fixture.keys.keyId;
  const signed = (header: object, said: object = claims()): string =>
    forged({ alg: 'ES256', kid: kid(), ...header }, byKey(createPrivateKey(fixture.keys.privatePem)), said);

  it.each([
    ['asks for an extension nobody knows', { crit: ['x'], x: 1 }],
    ['asks for a known name as an extension', { crit: ['alg'] }],
    ['asks for no extension by name', { crit: [] }],
    ['is for logging out', { typ: 'logout+jwt' }],
    ['is an identity for somebody’s program', { typ: 'id_token' }],
    ['is of another kind', { typ: 'JOSE' }],
    ['says a kind that is no text', { typ: 7 }],
    ['names a key by a number', { kid: 7 }],
  ])('is not taken when it %s', (_what, header) => refused(signed(header)));

  it.each(['JWT', 'jwt', 'at+jwt', 'application/at+jwt', undefined])('may say that it is %s', (typ) =>
    taken(signed({ typ })),
  );

  it.each([
    ['begins to count later', { nbf: seconds() + 3_600 }],
    ['was issued at a time that is no number', { iat: 'today' }],
    ['was issued a minute from now', { iat: Math.floor(Date.now() / 1000) + 60 }],
    ['was issued longer ago than any token counts', { iat: Math.floor(Date.now() / 1000) - 91 * 86_400 }],
    ['ends at a time that is no number', { exp: '2999' }],
    ['never ends', { exp: null }],
    ['is for nobody', { sub: '' }],
    ['has roles that are no list', { roles: 'SUPERVISOR' }],
    ['is for another audience among others', { aud: ['other', 'another'] }],
  ])('is not taken when it %s', (_what, said) => refused(signed({}, { ...claims(), ...said })));

  it('is taken as it came and in no other form', async () => {
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

  it('has at most 8 KiB; a longer one is refused as a token or as a header', async () => {
    await taken(signed({}, { ...claims(), note: 'x'.repeat(4_000) }));
    await refused(signed({}, { ...claims(), note: 'x'.repeat(6_500) }));
    const { status } = await fixture.raw(signed({}, { ...claims(), note: 'x'.repeat(16_384) })).get('/clazz');
    expect(status).toBe(431);
  });

  it('is not taken beside another one, in whatever order', async () => {
    const headers = [`authorization: ${signed({})}`, 'Authorization: Bearer x'];
    for (const both of [headers, headers.toReversed(), [headers[0] ?? '', headers[0] ?? '']]) {
      const line = await openRawConnection(fixture.address);
      line.socket.write(headOf('GET /api/v1/clazz/course-package/list/org', ...both));
      expect(await statusOn(line)).toBe(401);
      line.socket.destroy();
    }
  });

  it('has nobody fetched who is named in it', async () => {
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

describe('the keys of an issuer behind a URL', () => {
  const published = (publicKey: KeyObject, kid: string) => ({ ...publicKey.export({ format: 'jwk' }), kid });
  const pair = (kid: string) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return { jwk: published(publicKey, kid), authorization: () => forged({ alg: 'ES256', kid }, byKey(privateKey)) };
  };

  it('are exchanged under requests: a new one counts at once, and tokens of one that left no more', async () => {
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
      // The issuer fails: what is known goes on, for tokens that are new, too.
      set = undefined;
      expect([await codeFor(remembered), await codeFor(old.authorization())]).toEqual(['done', 'done']);
      set = [next.jwk];
      const before = reads;
      const codes = await Promise.all(Array.from({ length: 20 }, () => codeFor(next.authorization())));
      expect(codes).toEqual(codes.map(() => 'done'));
      // Its key has left: not even a token that was remembered counts.
      expect(await codeFor(remembered)).toBe('unauthenticated');
      for (const kid of ['unknown', 'old']) expect(await codeFor(pair(kid).authorization())).toBe('unauthenticated');
      expect(reads - before).toBe(1);
    } finally {
      await gateway.stop();
      issuer.close();
    }
  });

  it('and of a file that is written anew', async () => {
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
        line.socket.write(headOf('GET /api/v1/clazz/course-package/list/org', `authorization: ${remembered}`));
        await expect.poll(answers, POLL_OPTIONS).toHaveLength(count + 1);
        return answers().at(-1);
      };
      for (let times = 0; times < 3; times += 1) expect(await onTheLine()).toBe('200');
      write(next.jwk);
      expect(await codeFor(next.authorization())).toBe('done');
      expect(await codeFor(remembered)).toBe('unauthenticated');
      // Neither does its connection know it any more.
      expect(await onTheLine()).toBe('401');
      line.socket.destroy();
      // Read again by itself, too.
      write(old.jwk);
      await expect.poll(() => codeFor(remembered)).toBe('done');
    } finally {
      await gateway.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

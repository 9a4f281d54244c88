import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { inCheckout, launch } from '../../../tools/proofs/test/run-tool.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { envOfGateway, startGateway } from './gateway.ts';

let fixture: Fixture;
let issuer: Server;
/** The response of the issuer for its keys. */
let answer: (response: ServerResponse) => unknown;
beforeAll(async () => {
  fixture = await startFixture();
  issuer = createServer((_request, response) => answer(response));
  issuer.listen(0, '127.0.0.1');
  await once(issuer, 'listening');
});
afterAll(async () => {
  issuer?.close();
  await fixture?.stop();
});

const portOf = (server: Server): number => z.object({ port: z.int() }).parse(server.address()).port;
const WAITING = 'waiting for the keys of the token issuer (JWKS_URL): ';
/** The log lines about the keys so far. */
const said = (): string[] =>
  fixture.logged().flatMap(({ msg }) => (msg.startsWith(WAITING) ? [msg.slice(WAITING.length)] : []));

describe('Keys behind a URL', () => {
  it('are awaited: the gateway listens, is not ready, logs why, and accepts tokens once it has the keys', async () => {
    answer = (response) => response.destroy();
    const JWKS_URL = `http://127.0.0.1:${portOf(issuer)}/jwks.json`;
    const gateway = await startGateway(fixture, { JWKS_FILE: '', JWKS_URL, LOG_LEVEL: 'warn' });
    try {
      const api = createApi(gateway.address, `Bearer ${fixture.token({ role: 'TEACHER' })}`);
      const ready = () => api.get('//health/ready');
      const refused = await api.outcome(packageCalls.listMyPackages);
      expect([refused.code, refused.headers.get('retry-after')]).toEqual(['unavailable', '1']);
      expect(await ready()).toMatchObject({ status: 503, body: { checks: { bus: 'ok', keys: 'down' } } });
      expect((await api.get('//health/live')).status).toBe(200);

      await expect.poll(said, POLL_OPTIONS).toHaveLength(1);
      answer = (response) => response.writeHead(500).end();
      await expect.poll(said, POLL_OPTIONS).toContain('the answer has the status 500');
      answer = (response) => response.end('<html>');
      await expect.poll(said, POLL_OPTIONS).toContainEqual(expect.stringContaining('the answer is not JSON'));
      answer = (response) => response.end('{"keys":[]}');
      await expect.poll(said, POLL_OPTIONS).toContain('there is no public key that verifies ES256 (JWT_ALGORITHM)');
      expect((await api.refused(packageCalls.listMyPackages)).code).toBe('unavailable');

      answer = (response) => response.end(readFileSync(fixture.keys.jwksFile));
      await expect.poll(ready, POLL_OPTIONS).toMatchObject({ status: 200, body: { checks: { keys: 'ok' } } });
      await api.ok(packageCalls.listMyPackages);
    } finally {
      await gateway.stop();
    }
  });
});

describe('A gateway that cannot start reports the reason in one line', () => {
  const ended = (env: Record<string, string>) =>
    launch([inCheckout('services/gateway/src/main.ts')], { ...envOfGateway(fixture), ...env }).ended;

  it('when the file of keys does not exist', async () => {
    const err = 'JWKS_FILE names a file that does not exist\n';
    expect(await ended({ JWKS_FILE: '/none/jwks.json' })).toEqual({ code: 1, out: '', err });
  });

  it('when its port is in use', async () => {
    const err = 'PORT names a port that another program listens on: choose another\n';
    expect(await ended({ PORT: String(portOf(issuer)) })).toEqual({ code: 1, out: '', err });
  });
});

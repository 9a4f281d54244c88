import { Problem } from '@teaching/contracts';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { registerCompression } from './compress-replies.ts';
import { createDocumentSender, prepareDocument, type PreparedDocument } from './send-document.ts';

const TYPE = 'text/plain; charset=utf-8';
const document = (bytes: number): Promise<PreparedDocument> =>
  prepareDocument(TYPE, Buffer.from('text '.repeat(bytes / 5)), ['br', 'gzip']);

let app: FastifyInstance;
/** The bytes that were given to the connection. */
let sent: unknown[];
let waiting: (() => void)[];
let isHeld: boolean;

beforeEach(async () => {
  [app, sent, waiting, isHeld] = [Fastify(), [], [], false];
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof Problem ? error.status : 500).send());
  app.addHook('onRequest', async (_request, reply) => void reply.header('vary', 'Origin'));
  registerCompression(app);
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  const send = createDocumentSender({
    pace: () => (isHeld ? new Promise<void>((resolve) => void waiting.push(resolve)) : undefined),
  });
  for (const bytes of [100, 100_000]) {
    const prepared = await document(bytes);
    app.get(`/${bytes}`, (request, reply) => send(request, reply, prepared));
  }
});
afterEach(() => app.close());

it('all answers share the bytes of a document, in each encoding', async () => {
  for (const encoding of ['br', 'gzip', 'identity', 'zstd']) {
    const answers = [];
    for (const _ of [1, 2])
      answers.push(await app.inject({ url: '/100000', headers: { 'accept-encoding': encoding } }));
    const is = encoding === 'br' || encoding === 'gzip' ? encoding : undefined;
    for (const { headers } of answers)
      expect([headers['content-encoding'], headers['vary']]).toEqual([is, 'Origin, Accept-Encoding']);
    const [one, other] = sent.splice(0);
    expect(Buffer.isBuffer(one)).toBe(true);
    expect(one).toBe(other);
  }
});

it('a client that has the document gets 304, and HEAD the headers', async () => {
  const { headers } = await app.inject('/100000');
  const again = await app.inject({ url: '/100000', headers: { 'if-none-match': headers.etag } });
  expect([again.statusCode, again.body, again.headers.etag, again.headers['vary']]).toEqual([
    304,
    '',
    headers.etag,
    'Origin, Accept-Encoding',
  ]);
  const head = await app.inject({ method: 'HEAD', url: '/100000' });
  expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '100000']);
});

it('an address that receives ten long documents gets 503 for another one until one has arrived', async () => {
  isHeld = true;
  const status = async (url: string): Promise<number> => (await app.inject(url)).statusCode;
  const ten = Array.from({ length: 10 }, () => status('/100000'));
  await expect.poll(() => waiting.length).toBe(10);
  expect(await status('/100000')).toBe(503);
  const short = status('/100');
  await expect.poll(() => waiting.length).toBe(11);
  const other = app.inject({ url: '/100000', remoteAddress: '192.0.2.1' });
  await expect.poll(() => waiting.length).toBe(12);
  for (const go of waiting) go();
  expect(await Promise.all([...ten, short])).toEqual(Array.from({ length: 11 }, () => 200));
  expect((await other).statusCode).toBe(200);
  isHeld = false;
  expect(await status('/100000')).toBe(200);
});

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { encodingFor } from '../negotiate/accept.ts';
import { isCurrent } from '../negotiate/etag.ts';
import { type DocumentName, documents } from './document.ts';
import { PAGE, PAGE_POLICY, SCRIPT_PATH, START, START_PATH } from './page.ts';

export const DOCUMENT_PATHS = ['/openapi.json', '/asyncapi.json', '/docs', '/docs/', SCRIPT_PATH, START_PATH];

/** Documents change with a release only, and are looked for again after some minutes. */
const CACHE = 'public, max-age=300';
const JSON_TYPE = 'application/json; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const listed = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** Says what the caller may keep; whether what they have is current, so that nothing else is sent. */
const isKept = (request: FastifyRequest, reply: FastifyReply, type: string, etag: string): boolean => {
  reply.headers({ etag, 'cache-control': CACHE });
  if (isCurrent(request.headers['if-none-match'], etag)) {
    reply.code(304);
    return true;
  }
  reply.header('content-type', type);
  return false;
};

const etagOf = (text: string): string => `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** `/openapi.json`, `/asyncapi.json` and a page to read and try the API at `/docs`. `pace` lets those wait who ask all the time. */
export const registerDocs = (app: FastifyInstance, pace: onRequestAsyncHookHandler): void => {
  const documentOf = documents();

  const serve = (path: string, name: DocumentName, type: string): void => {
    app.get(path, { onRequest: pace }, async (request, reply) => {
      const { etag, plain, encoded } = await documentOf(name);
      reply.header('vary', 'Accept-Encoding');
      if (isKept(request, reply, type, etag)) return reply.send();
      const encoding = encodingFor(listed(request.headers['accept-encoding']));
      reply.header('content-encoding', encoding ?? 'identity');
      return reply.send(Buffer.from(encoding === undefined ? plain : encoded[encoding]));
    });
  };

  const serveText = (path: string, type: string, text: string): void => {
    const etag = etagOf(text);
    app.get(path, { onRequest: pace }, async (request, reply) => {
      if (type.startsWith('text/html')) reply.header('content-security-policy', PAGE_POLICY);
      return isKept(request, reply, type, etag) ? reply.send() : reply.send(text);
    });
  };

  serve('/openapi.json', 'openapi', JSON_TYPE);
  serve('/asyncapi.json', 'asyncapi', JSON_TYPE);
  serve(SCRIPT_PATH, 'reference', SCRIPT_TYPE);
  serveText(START_PATH, SCRIPT_TYPE, START);
  for (const path of ['/docs', '/docs/']) serveText(path, 'text/html; charset=utf-8', PAGE);
};

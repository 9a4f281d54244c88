import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { type Encoding, encodingFor, hasMatchingEtag } from '../negotiate/negotiation.ts';
import { SYSTEM } from './openapi.ts';

/** Paths of the scripts of the page. */
const SCRIPT_PATH = '/docs/reference.js';
const START_PATH = '/docs/start.js';

/** The API reference page. It loads nothing from other servers. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SYSTEM}</title>
</head>
<body>
<div id="reference"></div>
<script src="${SCRIPT_PATH}"></script>
<script src="${START_PATH}"></script>
</body>
</html>
`;

/** Options of the API reference: it works offline and stores the token for the next visit. */
const REFERENCE_OPTIONS = {
  url: '/openapi.json',
  metaData: { title: SYSTEM },
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: true,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
};

const START_SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify(REFERENCE_OPTIONS)});\n`;

/** Content security policy of the page: it may only use its own server, over HTTP or HTTPS. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Documents that a worker makes, because they take long. */
export type DocumentName = 'openapi' | 'asyncapi' | 'reference';

/** A document in all encodings. */
export interface Document {
  etag: string;
  plain: Uint8Array;
  encoded: Readonly<Record<Encoding, Uint8Array>>;
}

const make = (name: DocumentName): Promise<Document> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./make-document.ts', import.meta.url), { workerData: name });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`The worker ended without the document ${name}`)));
  });

/** Makes each document in a worker at its first request, so that other requests do not wait. A failure is retried. */
const documents = () => {
  const cache = new Map<DocumentName, Promise<Document>>();
  return (name: DocumentName): Promise<Document> => {
    const document = cache.get(name) ?? make(name);
    cache.set(name, document);
    document.catch(() => cache.delete(name));
    return document;
  };
};

/** Paths of the documents. They need no token. */
export const DOCUMENT_PATHS = ['/openapi.json', '/asyncapi.json', '/docs', '/docs/', SCRIPT_PATH, START_PATH];

/** Documents change only with a release; clients check again after five minutes. */
const CACHE = 'public, max-age=300';
const JSON_TYPE = 'application/json; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** Sets the caching headers. Returns true and sets 304 if the client has the current document. */
const isNotModified = (request: FastifyRequest, reply: FastifyReply, type: string, etag: string): boolean => {
  reply.headers({ etag, 'cache-control': CACHE });
  if (hasMatchingEtag(request.headers['if-none-match'], etag)) {
    reply.code(304);
    return true;
  }
  reply.header('content-type', type);
  return false;
};

const etagOf = (text: string): string => `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** Registers `/openapi.json`, `/asyncapi.json` and the API reference at `/docs`. `pace` limits the rate of requests. */
export const registerDocs = (app: FastifyInstance, pace: onRequestAsyncHookHandler): void => {
  const documentOf = documents();

  const serve = (path: string, name: DocumentName, type: string): void => {
    app.get(path, { onRequest: pace }, async (request, reply) => {
      const { etag, plain, encoded } = await documentOf(name);
      reply.header('vary', 'Accept-Encoding');
      if (isNotModified(request, reply, type, etag)) return reply.send();
      const encoding = encodingFor(joined(request.headers['accept-encoding']));
      reply.header('content-encoding', encoding ?? 'identity');
      return reply.send(Buffer.from(encoding === undefined ? plain : encoded[encoding]));
    });
  };

  const serveText = (path: string, type: string, text: string): void => {
    const etag = etagOf(text);
    app.get(path, { onRequest: pace }, async (request, reply) => {
      if (type.startsWith('text/html')) reply.header('content-security-policy', PAGE_POLICY);
      return isNotModified(request, reply, type, etag) ? reply.send() : reply.send(text);
    });
  };

  serve('/openapi.json', 'openapi', JSON_TYPE);
  serve('/asyncapi.json', 'asyncapi', JSON_TYPE);
  serve(SCRIPT_PATH, 'reference', SCRIPT_TYPE);
  serveText(START_PATH, SCRIPT_TYPE, START_SCRIPT);
  for (const path of ['/docs', '/docs/']) serveText(path, 'text/html; charset=utf-8', PAGE);
};

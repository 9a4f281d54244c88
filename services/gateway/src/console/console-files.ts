import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { prepareDocument, type PreparedDocument, type SendDocument } from '../http/send-document.ts';
import { type Encoding, prefersType } from '../negotiate/negotiation.ts';

/** The folder that `apps/console` is built into. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../apps/console/dist', import.meta.url));
const INDEX = 'index.html';

/** The pages may load and call only their own origin. Inline scripts and styles are forbidden. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Files with a content hash in their name, as the build writes them. A changed file gets another name. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;
const YEAR = 'public, max-age=31536000, immutable';
/** Files that the build compressed, stored next to the original. */
const COMPRESSED = /\.(br|gz)$/;
const SUFFIXES: readonly (readonly [Encoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** Paths that are never a page of the console. */
const NO_PAGE = /^\/(api|auth|docs|health|assets|openapi\.json|asyncapi\.json)(\/|$)/;

export interface ConsoleFiles {
  routes: readonly { method: 'GET'; path: string }[];
  /** True when a browser asks for a page. Every page is the same file. */
  isPage(request: FastifyRequest): boolean;
  /** Sends the file of the pages. */
  sendPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

const filesIn = (root: string): string[] => {
  try {
    const found = readdirSync(root, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
    return found.map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'));
  } catch {
    return [];
  }
};

const isPage = ({ method, url, headers }: FastifyRequest): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { accept } = headers;
  return (
    !NO_PAGE.test(url.split('?')[0] ?? '') &&
    prefersType(Array.isArray(accept) ? accept.join(',') : accept, 'text/html')
  );
};

/** A file with its encodings: those of the build, or made now. */
const prepareFile = async (root: string, file: string, all: readonly string[]): Promise<PreparedDocument> => {
  const read = async ([encoding, suffix]: readonly [Encoding, string]): Promise<[Encoding, Buffer]> => [
    encoding,
    await readFile(join(root, file + suffix)),
  ];
  const made = new Map(await Promise.all(SUFFIXES.filter(([, suffix]) => all.includes(file + suffix)).map(read)));
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  return prepareDocument(type, await readFile(join(root, file)), ['br', 'gzip'], made);
};

interface ConsoleDeps {
  /** Delays clients that send requests without pause. */
  pace: onRequestAsyncHookHandler;
  sendDocument: SendDocument;
  log: Logger;
}

/** Serves the built console at `/`, from memory. Returns `undefined` when it is not built. */
export const registerConsole = async (
  app: FastifyInstance,
  root: string,
  { pace, sendDocument, log }: ConsoleDeps,
): Promise<ConsoleFiles | undefined> => {
  const all = filesIn(root);
  const prepare = async (file: string): Promise<[string, PreparedDocument]> => [
    file,
    await prepareFile(root, file, all),
  ];
  const documents = await Promise.all(all.filter((file) => !COMPRESSED.test(file)).map(prepare));
  const index = documents.find(([file]) => file === INDEX)?.[1];
  if (index === undefined) {
    log.warn({ folder: root }, 'the console is not built and is not served');
    return undefined;
  }
  const serve = (path: string, file: string, document: PreparedDocument) => {
    const isHashed = HASHED.test(file);
    const send: ConsoleFiles['sendPage'] = (request, reply) => {
      reply.header('content-security-policy', POLICY).header('cache-control', isHashed ? YEAR : 'no-cache');
      return sendDocument(request, reply, document);
    };
    // A browser caches these files for a year, so it requests each once. A whole school may do so at the same moment.
    app.get(path, { onRequest: isHashed ? [] : [pace] }, send);
    return send;
  };
  for (const [file, document] of documents) serve(`/${file}`, file, document);
  const sendPage = serve('/', INDEX, index);
  const routes = ['/', ...documents.map(([file]) => `/${file}`)].map((path) => ({ method: 'GET' as const, path }));
  return { routes, isPage, sendPage };
};

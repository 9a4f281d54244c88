import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fastifyStatic } from '@fastify/static';
import type { Logger } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { prefersType } from '../negotiate/negotiation.ts';

/** Where `apps/console` is built to. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../apps/console/dist', import.meta.url));
const INDEX = 'index.html';

/** What the pages may load and ask: only from where they came, and nothing that stands in the page itself. */
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

/** A file whose name has a hash of its content, as the build writes it, is another file when it changes. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;
const YEAR = 'public, max-age=31536000, immutable';
/** Compressed by the build, beside the file itself. */
const COMPRESSED = /\.(br|gz)$/;
/** What is no page of the console, whoever asks for it. */
const NO_PAGE = /^\/(api|auth|docs|health|assets|openapi\.json|asyncapi\.json)(\/|$)/;

export interface ConsoleFiles {
  routes: readonly { method: 'GET'; path: string }[];
  /** Whether a browser wants to see a page; each of them is the same file. */
  isPage(request: FastifyRequest): boolean;
  /** Sends that file. */
  sendPage(reply: FastifyReply): FastifyReply;
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

/** Serves the built console at `/`; `undefined` where it is not built. `pace` lets those wait who ask all the time. */
export const registerConsole = async (
  app: FastifyInstance,
  root: string,
  pace: onRequestAsyncHookHandler,
  log: Logger,
): Promise<ConsoleFiles | undefined> => {
  const files = filesIn(root).filter((file) => !COMPRESSED.test(file));
  if (!files.includes(INDEX)) {
    log.warn({ folder: root }, 'the console is not built, and not served');
    return undefined;
  }
  await app.register(fastifyStatic, {
    root,
    serve: false,
    preCompressed: true,
    // Answers are compressed as a whole.
    acceptRanges: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const file = relative(root, path).split(sep).join('/').replace(COMPRESSED, '');
      reply.header('content-security-policy', POLICY).header('cache-control', HASHED.test(file) ? YEAR : 'no-cache');
    },
  });
  const send = (reply: FastifyReply, file: string): FastifyReply => reply.code(200).sendFile(file);
  const paths = ['/', ...files.map((file) => `/${file}`)];
  for (const path of paths) {
    // What a browser keeps for a year is asked for once, and by a whole school at once.
    const onRequest = HASHED.test(path.slice(1)) ? [] : [pace];
    app.get(path, { onRequest }, (_request, reply) => send(reply, path === '/' ? INDEX : path.slice(1)));
  }
  return { routes: paths.map((path) => ({ method: 'GET', path })), isPage, sendPage: (reply) => send(reply, INDEX) };
};

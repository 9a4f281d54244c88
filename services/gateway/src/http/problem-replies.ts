import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem, problemDocument } from '@teaching/contracts';
import { type Logger, newId, traceId } from '@teaching/kit';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityHeaders } from './security-headers.ts';
import { isAnswered } from './request-body.ts';
import type { UnansweredRequests } from './unanswered-requests.ts';

const RETRY_AFTER_S = 1;
const CLOSE_MS = 1_000;

/** Maps Fastify's own errors to problems; undefined for an internal error. */
const fromFastify = (error: Pick<FastifyError, 'code' | 'statusCode'>): Problem | undefined => {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Problem('unsupported_media_type');
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500 ? new Problem('invalid_request', 'The request cannot be read') : undefined;
};

/** The problem for a request that cannot be parsed. A request line longer than all headers may be has a long URL. */
const unreadable = ({ code, rawPacket }: Unreadable): Problem => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout');
  if (code !== 'HPE_HEADER_OVERFLOW') return new Problem('invalid_request', 'This is not an HTTP request');
  const start = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  return new Problem(/^[A-Z]+ \S{8000}/.test(start) ? 'uri_too_long' : 'headers_too_large');
};

interface Unreadable {
  code?: string;
  rawPacket?: unknown;
}

/** Sends a problem document on a connection outside of Fastify, and closes the connection. */
export const endWithProblem =
  (security: SecurityHeaders) =>
  (socket: Duplex, problem: Problem): void => {
    const request_id = newId();
    const body = JSON.stringify(problemDocument(problem, request_id));
    const headers = Object.entries({
      ...security,
      'x-request-id': request_id,
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
      ...(problem.status === 503 ? { 'retry-after': RETRY_AFTER_S } : {}),
      connection: 'close',
    });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${head}\r\n${body}`);
    // Closes the connection of a client that does not close its side.
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
  };

/**
 * Answers bytes that are not an HTTP request, too many or too slow with a problem document, and closes the connection.
 */
export const replyUnreadable =
  (unanswered: UnansweredRequests) =>
  (error: Unreadable, socket: Duplex): void => {
    if (!socket.writable || isAnswered(socket)) socket.destroy();
    else unanswered.closeWith(socket, unreadable(error));
  };

/** Sends a problem document (RFC 9457) with the headers that its status requires. */
export const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply => {
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  if (problem.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_S);
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemDocument(problem, reply.request.id)));
};

export const problemHandler =
  (log: Logger) =>
  async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const problem = error instanceof Problem ? error : fromFastify(error);
    if (problem === undefined) {
      log.error(
        { err: error, request_id: request.id, trace_id: request.trace_id || traceId(request.id) },
        'request failed',
      );
    }
    if (request.held !== null) await request.held;
    return sendProblem(reply, problem ?? new Problem('internal'));
  };

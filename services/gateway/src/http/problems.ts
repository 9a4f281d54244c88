import { Problem, problemDocument } from '@teaching/contracts';
import { type Logger, traceId } from '@teaching/kit';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

const RETRY_AFTER_S = 1;

/** Fastify's own refusals in our terms. */
const fromFastify = (error: Pick<FastifyError, 'code' | 'statusCode'>): Problem | undefined => {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('payload_too_large', 'At most 1 MiB');
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Problem('unsupported_media_type');
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500 ? new Problem('invalid_request', 'The request cannot be read') : undefined;
};

/** Sends a problem document (RFC 9457) with the headers its status asks for. */
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
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = error instanceof Problem ? error : fromFastify(error);
    if (problem === undefined) {
      log.error(
        { err: error, request_id: request.id, trace_id: request.trace_id || traceId(request.id) },
        'request failed',
      );
    }
    return sendProblem(reply, problem ?? new Problem('internal'));
  };

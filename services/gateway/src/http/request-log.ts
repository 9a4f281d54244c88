import { type Logger, record, traceId } from '@teaching/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type RequestLog = (request: FastifyRequest, reply: FastifyReply) => void;

/** Measures and logs an answered request: at `info`, requests of monitoring (`/health/`) at `debug`. */
export const createRequestLog =
  (log: Logger): RequestLog =>
  (request, reply) => {
    const { url: route = 'none' } = request.routeOptions;
    record.http({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime);
    const level = route.startsWith('/health/') ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        request_id: request.id,
        trace_id: request.trace_id || traceId(request.id),
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
  };

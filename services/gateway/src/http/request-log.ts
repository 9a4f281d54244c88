import { type Logger, record, traceId } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import { isEventStream } from './compress-replies.ts';

/** Measures and logs every answered request: at `info`, requests of monitoring (`/health/`) at `debug`. */
export const registerRequestLog = (app: FastifyInstance, log: Logger): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { url: route = 'none' } = request.routeOptions;
    // The time that a stream was open is not a response time.
    if (!isEventStream(reply))
      record.http({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime);
    const level = route.startsWith('/health/') ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) {
      done();
      return;
    }
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
    done();
  });
};

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { withListenError } from './listen-error.ts';

/** The health of a process: whether it is ready, and a report. */
export interface Health {
  ready: boolean;
  report: object;
}

export interface HealthServer {
  /** Its address, e.g. `http://127.0.0.1:8081`. */
  address: string;
  close(): Promise<void>;
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
};

/**
 * Serves health checks on a port of its own. `/health/live`: the process runs. `/health/ready`: whether it takes calls,
 * and the state of its dependencies.
 */
export const serveHealth = async (
  { HEALTH_HOST: host, HEALTH_PORT: port }: { HEALTH_HOST: string; HEALTH_PORT: number },
  health: () => Promise<Health>,
): Promise<HealthServer> => {
  const ready = async (response: ServerResponse): Promise<void> => {
    const { ready: isReady, report } = await health();
    answer(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', ...report });
  };
  const server = createServer((request, response) => {
    if (request.url === '/health/live') answer(response, 200, { status: 'ok' });
    else if (request.url === '/health/ready')
      ready(response).catch(() => answer(response, 503, { status: 'unavailable' }));
    else answer(response, 404, { status: 'not found' });
  });
  server.listen(port, host);
  await withListenError('HEALTH_PORT', () => once(server, 'listening'));
  const at = server.address();
  const chosen = typeof at === 'object' && at !== null ? at.port : port;
  return {
    address: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${chosen}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

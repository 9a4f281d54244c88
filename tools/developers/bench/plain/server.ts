/**
 * What the same work costs without all that a production system has: one process with Fastify and pg on the same
 * tables, as superuser. A read sends the statements that were recorded for it and answers the rows; W2 decides for itself
 * what to write. No tokens (the org stands in their place), no row-level security, no validation, no events, no answers
 * kept for repeated requests, no logs.
 */
import Fastify from 'fastify';
import { z } from 'zod';
import { Recorded } from '../load/work.ts';
import { storedItems, syncItems } from './packages.ts';
import { learn, reply } from './replies.ts';

const BASE = '/api/v1/clazz/course-package/item';

const server = Fastify({ logger: false });
const tokenOf = (authorization = ''): string => authorization.slice('Bearer '.length);

server.get('/*', async ({ url, headers }, answer) => {
  const known = await reply(tokenOf(headers.authorization), url);
  return known ?? answer.callNotFound();
});
server.get<{ Params: { id: string } }>(`${BASE}/list/:id`, async ({ url, params, headers }) => {
  const token = tokenOf(headers.authorization);
  return (await reply(token, url)) ?? storedItems(token, params.id);
});
server.post<{ Body: Parameters<typeof syncItems>[1] }>(`${BASE}/sync`, ({ body, headers }) =>
  syncItems(tokenOf(headers.authorization), body),
);

const address = await server.listen({ port: 0, host: '127.0.0.1' });
process.on('message', (message) => {
  learn(z.array(Recorded).parse(message));
  process.send?.('learned');
});
process.once('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
process.send?.(address);

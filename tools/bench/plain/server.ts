/**
 * What the same work costs without all that a production system has: one process with Fastify and pg, the same SQL
 * on the same tables as W1, W2 and W3 of the package service, as superuser. No tokens (the org stands in their
 * place), no row-level security, no validation, no events, no answers kept for repeated requests, no logs.
 */
import Fastify from 'fastify';
import { listItems, listOrg, syncItems } from './packages.ts';

const BASE = '/api/v1/clazz/course-package';

const server = Fastify({ logger: false });
const orgOf = (authorization = ''): string => authorization.slice('Bearer '.length);

server.get<{ Params: { id: string } }>(`${BASE}/item/list/:id`, ({ params, headers }) =>
  listItems(orgOf(headers.authorization), params.id),
);
server.post<{ Body: Parameters<typeof syncItems>[1] }>(`${BASE}/item/sync`, ({ body, headers }) =>
  syncItems(orgOf(headers.authorization), body),
);
server.get<{ Querystring: Parameters<typeof listOrg>[1] }>(`${BASE}/list/org`, ({ query, headers }) =>
  listOrg(orgOf(headers.authorization), query),
);

const address = await server.listen({ port: 0, host: '127.0.0.1' });
process.once('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
process.send?.(address);

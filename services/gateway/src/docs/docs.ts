import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { allCalls, allEvents } from '@teaching/contracts';
import type { FastifyInstance } from 'fastify';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';

/** `/openapi.json`, `/asyncapi.json` and a page to read and try the API at `/docs`. */
export const registerDocs = async (app: FastifyInstance): Promise<void> => {
  const openApi = JSON.stringify(openApiDocument(allCalls));
  const asyncApi = JSON.stringify(asyncApiDocument(allEvents));
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(openApi));
  app.get('/asyncapi.json', async (_request, reply) => reply.type('application/json').send(asyncApi));
  await app.register(swagger, { mode: 'static', specification: { document: JSON.parse(openApi) } });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, uiConfig: { url: '/openapi.json' } });
};

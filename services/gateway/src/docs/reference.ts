import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

/** The program that shows an API document in a browser (Scalar), as its package brings it. */
export const referenceScript = async (): Promise<string> => {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error('the reference is not where it was');
  return body;
};

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { allEvents, operations } from '../../../../libs/contracts/src/index.ts';
import { openApiDocument } from '../../../../services/gateway/src/docs/openapi.ts';
import { asyncApiDocument } from '../../../../services/gateway/src/docs/asyncapi.ts';
import { afterAll, expect, it } from 'vitest';
import { compileFindings, typesOf } from '../src/generate.ts';
import { asyncApiFindings, redoclyFindings } from '../src/lint.ts';

const document = JSON.stringify(openApiDocument(operations));
const folder = mkdtempSync(join(tmpdir(), 'teaching-apidoc-'));
afterAll(() => rmSync(folder, { recursive: true }));
const PATIENCE = { timeout: 60_000 };

it('the document is valid for swagger-parser', PATIENCE, async () => {
  await expect(SwaggerParser.validate(JSON.parse(document))).resolves.toBeDefined();
});

it('the document has no finding of the strict rules of redocly', PATIENCE, async () => {
  expect(await redoclyFindings(document)).toEqual([]);
});

it('openapi-typescript generates types that compile', PATIENCE, async () => {
  const types = await typesOf(document);
  expect(types).toContain('export interface components');
  writeFileSync(join(folder, 'types.ts'), types);
  const use = `import type { components, operations } from './types';
    export const name = (it: components['schemas']['Clazz']): string => it.name;
    export const places = (it: components['schemas']['ClazzFullProblem']): number | undefined => it.free_seats;
    export type Body = operations['createClazz']['requestBody']['content']['application/json'];`;
  writeFileSync(join(folder, 'use.ts'), use);
  expect(compileFindings('use.ts', folder)).toBe('');
});

it('the events are a valid AsyncAPI document with a server and its security', PATIENCE, async () => {
  expect(await asyncApiFindings(JSON.stringify(asyncApiDocument(allEvents)))).toEqual([]);
  expect(asyncApiDocument(allEvents)).toMatchObject({
    servers: { broker: { protocol: 'nats', security: [{ $ref: '#/components/securitySchemes/user' }] } },
  });
});

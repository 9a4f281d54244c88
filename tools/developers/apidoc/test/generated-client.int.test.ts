import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { connect, type Msg } from '@nats-io/transport-node';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { allEvents } from '../../../../libs/contracts/src/index.ts';
import { asyncApiDocument } from '../../../../services/gateway/src/docs/asyncapi.ts';
import { type Fixture, startFixture } from '../../../proofs/test/fixture.ts';
import { compileFindings, writeClient } from '../src/generate.ts';

const STORY = fileURLToPath(new URL('story.ts.txt', import.meta.url));
const Story = z.object({ play: z.custom<(address: string, token: string) => Promise<string[]>>() });
const Told = z.looseObject({ type: z.string() });
const Payload = z.object({
  components: z.object({
    messages: z.record(z.string(), z.object({ payload: z.object({ properties: z.record(z.string(), z.unknown()) }) })),
  }),
});
const folder = mkdtempSync(join(tmpdir(), 'teaching-generated-'));
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'] });
  await writeClient(
    z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(inject('document'), 'utf8'))),
    folder,
  );
  copyFileSync(STORY, join(folder, 'story.ts'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await fixture?.stop();
});

it('a client by @hey-api/openapi-ts compiles with a story told by it', { timeout: 60_000 }, () => {
  expect(compileFindings('story.ts', folder)).toBe('');
});

it('the story happens, and what is told of it on the bus is as its document says', async () => {
  const bus = await connect({ servers: fixture.nats.url, user: 'admin', pass: inject('stack').secrets.nats.admin });
  const caught: unknown[] = [];
  const keep = (_error: Error | null, message: Msg): void => void caught.push(message.json());
  for (const subject of ['evt.>', 'audit.>']) bus.subscribe(subject, { callback: keep });
  await bus.flush();

  const { play } = Story.parse({ ...(await import(pathToFileURL(join(folder, 'story.ts')).href)) });
  const told = await play(fixture.address, fixture.token({ role: 'SUPERVISOR' }));
  expect(told).toEqual(['active', '0', '10.00', 'present 1.00', 'held', 'true']);

  const types = () => new Set(caught.map((one) => Told.parse(one).type));
  await expect.poll(() => types().size).toBeGreaterThanOrEqual(6);
  await bus.close();
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  const document = asyncApiDocument(allEvents);
  const { messages } = Payload.parse(document).components;
  ajv.addSchema({ $id: 'events.json', ...document });
  for (const one of caught) {
    const { type } = Told.parse(one);
    const check = ajv.compile({ $ref: `events.json#/components/messages/${type}/payload` });
    expect(check(one), `${type}: ${ajv.errorsText(check.errors)}`).toBe(true);
    const declared = messages[type]?.payload.properties ?? {};
    expect(Object.keys(Told.parse(one)).filter((name) => !(name in declared))).toEqual([]);
  }
});

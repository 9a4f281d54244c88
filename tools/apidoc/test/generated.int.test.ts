import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type Fixture, startFixture } from '../../test/fixture.ts';
import { compileFindings, writeClient } from '../src/generate.ts';

const STORY = fileURLToPath(new URL('story.ts.txt', import.meta.url));
const Story = z.object({ play: z.custom<(address: string, token: string) => Promise<string[]>>() });
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

it('the story happens', async () => {
  const { play } = Story.parse({ ...(await import(pathToFileURL(join(folder, 'story.ts')).href)) });
  const told = await play(fixture.address, fixture.token({ role: 'SUPERVISOR' }));
  expect(told).toEqual(['active', '0', '10.00', 'present 1.00', 'held', 'true']);
});

import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../proofs/test/fixture.ts';
import { type ProcessResult, runTool } from '../../proofs/test/run-tool.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const run = (port: string): Promise<ProcessResult> =>
  runTool('demo.ts', { PORT: port, HOST: '127.0.0.1', DATA_DIR: dirname(fixture.nats.store) });

const portOf = (address: string): string => new URL(address).port;

it('plays the whole scenario, and again beside its earlier run', async () => {
  const first = await run(portOf(fixture.address));
  expect(first.err).toBe('');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('All responses were as expected') });
  expect(first.out).not.toContain('\u001B[');
  expect((await run(portOf(fixture.address))).code).toBe(0);
});

it('explains how to start the system when it is not running', async () => {
  const { code, err } = await run('1');
  expect(code).toBe(1);
  expect(err).toContain('npm start');
});

it('exits with an error at an unexpected answer', async () => {
  await fixture.sql(`
    create function course.spoil() returns trigger language plpgsql as $$
      begin new.title := 'spoiled'; return new; end $$;
    create trigger spoil before insert on course.course for each row execute function course.spoil()`);
  const { code, err } = await run(portOf(fixture.address));
  expect(code).toBe(1);
  expect(err).toContain('Not as expected: courses with 汉语');
});

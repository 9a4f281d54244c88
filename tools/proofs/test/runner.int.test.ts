import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@teaching/local/ports.ts';
import { natsPasswords, SERVICES } from '@teaching/local/secrets.ts';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { withDatabase } from '../../operators/migrate/provision.ts';
import { inCheckout, launch } from './run-tool.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-runner-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a service whose `start` function has this body. */
const service = (name: string, start: string): void => {
  const src = join(folder, 'services', name, 'src');
  mkdirSync(src, { recursive: true });
  writeFileSync(join(src, 'main.ts'), `export const start = async () => { ${start} };`);
};

/** Starts the runner with these services and the shared servers of the test run. */
const run = async (processes: 'one' | 'many') => {
  const { adminUrl, natsUrl, secrets } = inject('stack');
  // Roles are shared by all databases of the server, so their passwords must not change.
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'secrets.json'), JSON.stringify(secrets));
  const env = {
    ...natsPasswords(secrets),
    NATS_URL: natsUrl,
    DATABASE_ADMIN_URL: withDatabase(adminUrl, `runner_${randomBytes(4).toString('hex')}`),
    DATA_DIR: join(folder, 'data'),
    SERVICES_DIR: join(folder, 'services'),
    PORT: String(await freePort()),
    PROCESSES: processes,
    DEMO: 'off',
    CONSOLE: 'off',
  };
  return launch([inCheckout('tools/start.ts')], env).ended;
};

describe('The local runner', () => {
  const idle = 'return { stop: async () => console.log("stopped") };';

  it('stops all services and exits with the reason when a service in its process fails', async () => {
    for (const name of [...SERVICES, 'gateway']) service(name, idle);
    service('course', "return { stop: async () => {}, failed: Promise.resolve(new Error('closed for good')) };");
    const { code, out, err } = await run('one');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('! course: closed for good\n') });
    expect(out.match(/^stopped$/gm)).toHaveLength(SERVICES.length);
  });

  it('restarts a service in a process of its own when it fails', async () => {
    const marker = JSON.stringify(join(folder, 'marker'));
    for (const name of [...SERVICES, 'gateway']) service(name, idle);
    // The first start fails; the second one stops the runner.
    service(
      'course',
      `const { existsSync, writeFileSync } = await import('node:fs');
       if (existsSync(${marker})) process.kill(process.ppid, 'SIGTERM');
       writeFileSync(${marker}, '');
       return { stop: async () => {}, failed: new Promise((resolve) => setTimeout(resolve, 500, new Error('closed for good'))) };`,
    );
    const { code, out, err } = await run('many');
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining('the service "course" ended (exit code 1), starting it again in 500 ms'),
    });
    expect(out).toMatch(/"level":"fatal",.*"service":"course","msg":"closed for good"/);
  });
});

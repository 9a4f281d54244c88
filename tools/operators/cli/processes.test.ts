import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from './exit.ts';
import { fromCompose, fromFiles, fromEnvironment } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'teaching-processes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('The processes to examine', () => {
  it('have a file of variables each', async () => {
    const clazz = file('clazz.env', "# of clazz\nNATS_USER=clazz\nNATS_PASSWORD='a=b'\n");
    const read = await fromFiles([`clazz=${clazz}`, `stats=${file('stats.env', 'NATS_USER=stats')}`]);
    expect(Object.fromEntries(read)).toEqual({
      clazz: { NATS_USER: 'clazz', NATS_PASSWORD: 'a=b' },
      stats: { NATS_USER: 'stats' },
    });
  });

  it.each([['nobody=x.env'], ['clazz'], ['clazz=/nowhere/clazz.env']])('are refused as %s', async (given) => {
    await expect(fromFiles([given])).rejects.toThrow(UsageError);
  });

  it('are the known ones of a compose file', async () => {
    const services = {
      clazz: { environment: { NATS_USER: 'clazz', DATABASE_POOL: 6, METRICS_PORT: null } },
      stats: { environment: null },
      postgres: { environment: { POSTGRES_DB: 'teaching' } },
    };
    const read = await fromCompose(file('compose.json', JSON.stringify({ services })));
    expect(Object.fromEntries(read)).toEqual({
      clazz: { NATS_USER: 'clazz', DATABASE_POOL: '6', METRICS_PORT: '' },
      stats: {},
    });
    await expect(fromCompose(file('compose.yml', 'services: {}'))).rejects.toThrow(UsageError);
  });

  it('are the process of the environment, else the running local ones', async () => {
    expect([...(await fromEnvironment({ NATS_USER: 'course' })).keys()]).toEqual(['course']);
    expect([...(await fromEnvironment({ DATABASE_ADMIN_URL: 'postgres://…' })).keys()]).toEqual(['migrate']);
    await expect(fromEnvironment({ DATA_DIR: join(folder, 'none') })).rejects.toThrow('Nothing to examine');
  });
});

import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { hasBatchScheduling } from './batch-scheduling.ts';

it.runIf(spawnSync('chrt', ['-b', '0', 'true']).status === 0)(
  'Postgres yields the core to the process that wakes it, where it is started by npm start',
  async () => {
    const client = new pg.Client({ connectionString: inject('stack').adminUrl });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backends = rows.map(({ pid }) => hasBatchScheduling(pid));
    await client.end();
    expect(backends).toEqual([true]);
  },
);

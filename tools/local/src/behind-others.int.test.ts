import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { isBehindOthers } from './behind-others.ts';

it.runIf(spawnSync('chrt', ['-b', '0', 'true']).status === 0)(
  'Postgres leaves the core to who wakes it, where it is set up here',
  async () => {
    const client = new pg.Client({ connectionString: inject('stack').adminUrl });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await client.end();
    expect(rows.map(({ pid }) => isBehindOthers(pid))).toEqual([true]);
  },
);

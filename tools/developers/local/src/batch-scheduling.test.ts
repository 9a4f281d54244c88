import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { withBatchScheduling, hasBatchScheduling } from './batch-scheduling.ts';

const hasChrt = spawnSync('chrt', ['-b', '0', 'true']).status === 0;

it.runIf(hasChrt)('starts the program itself with the batch policy', async () => {
  const script = 'process.stdout.write(JSON.stringify([process.pid, process.argv.slice(1)]))';
  const { command, args } = withBatchScheduling(process.execPath, [
    '-e',
    `${script}; process.stdin.resume()`,
    'with',
    'these',
  ]);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  expect(JSON.parse(String(said))).toEqual([child.pid, ['with', 'these']]);
  expect([hasBatchScheduling(child.pid ?? 0), hasBatchScheduling(process.pid)]).toEqual([true, false]);
  child.kill();
  await once(child, 'exit');
});

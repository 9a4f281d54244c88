import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';

const FOLDER = fileURLToPath(new URL('../../../deploy/observability/', import.meta.url));

it('fires and silences every alert in the rule tests of promtool', async () => {
  const promtool = join(await unpackedFromDebian('prometheus'), 'usr/bin/promtool');
  const output = execFileSync(promtool, ['test', 'rules', join(FOLDER, 'alerts.test.yml')], { encoding: 'utf8' });
  expect(output).toContain('SUCCESS');
});

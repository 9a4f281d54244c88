import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';

const FOLDER = fileURLToPath(new URL('../../../deploy/observability/', import.meta.url));

it('every alert fires and falls silent by the word of Prometheus itself', async () => {
  const promtool = join(await unpackedFromDebian('prometheus'), 'usr/bin/promtool');
  const told = execFileSync(promtool, ['test', 'rules', join(FOLDER, 'alerts.test.yml')], { encoding: 'utf8' });
  expect(told).toContain('SUCCESS');
});

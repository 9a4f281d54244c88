import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCli } from '../../../proofs/test/run-tool.ts';
import { examine } from '../examine-installation.ts';
import { expectOnlyFinding } from './expect-finding.ts';
import { MISTAKES } from './mistakes.ts';
import { installation } from './plant-faults.ts';
import { startHealthySystem, type HealthySystem } from './healthy-system.ts';

let well: HealthySystem;
const { secrets } = inject('stack');
beforeAll(async () => {
  well = await startHealthySystem(inject('stack').adminUrl, secrets);
});
afterAll(() => well?.stop());

describe('The doctor', () => {
  it('finds nothing in a healthy installation', async () => {
    expect(await examine(installation(well))).toEqual([]);
  });

  it.each(MISTAKES)('reports only this fault, with its remedy: $what', async (mistake) => {
    await expectOnlyFinding(mistake, await mistake.plant(well), secrets);
  });

  it('run in the environment of a process, ends with 0 if all is well, else with 1, one line for the fault and one for the remedy', async () => {
    const env = { ...well.envs.get('course') };
    expect(await runCli('doctor', env)).toEqual({ code: 0, out: 'All is well: course.\n', err: '' });
    const { code, out } = await runCli('doctor', { ...env, NATS_PASSWORD: 'planted-wrong-one' });
    expect(code).toBe(1);
    expect(out.split('\n').slice(0, 2)).toEqual([
      '✗ course: the broker refuses user course (NATS_USER, NATS_PASSWORD) of course',
      expect.stringMatching(/^ {2}→ give the process and the broker the same login/),
    ]);
  });
});

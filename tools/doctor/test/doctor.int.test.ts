import { natsPasswords } from '@teaching/local/secrets.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCli } from '../../test/run-tool.ts';
import { examine } from '../examine.ts';
import { MISTAKES } from './mistakes.ts';
import { installation } from './planting.ts';
import { startWell, type Well } from './well.ts';

let well: Well;
const { secrets } = inject('stack');
beforeAll(async () => {
  well = await startWell(inject('stack').adminUrl, secrets);
});
afterAll(() => well?.stop());

/** What no line may hold. */
const SECRETS = [
  secrets.signing,
  secrets.caller.seal,
  'planted-wrong-one',
  ...Object.values(natsPasswords(secrets)),
  ...Object.values(secrets.database).flatMap((roles) => Object.values(roles)),
];

describe('the doctor', () => {
  it('finds nothing where all is well', async () => {
    expect(await examine(installation(well))).toEqual([]);
  });

  it.each(MISTAKES)('$what: that and nothing else is told, and how to mend it', async (mistake) => {
    const { plant, check, about, wrong, mend } = mistake;
    const { installation: given, undo } = await plant(well);
    try {
      const found = await examine(given);
      expect(found).toEqual([
        {
          check,
          about: expect.arrayContaining([...about]),
          wrong: expect.stringMatching(wrong),
          mend: expect.stringMatching(mend),
        },
      ]);
      expect(found[0]?.about).toHaveLength(about.length);
      const told = JSON.stringify(found);
      expect(SECRETS.filter((secret) => told.includes(secret))).toEqual([]);
    } finally {
      await undo?.();
    }
  });

  it('told from the environment of a process: ends with 0 where all is well, else with 1, a line for what and one for how', async () => {
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

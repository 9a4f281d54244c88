import { natsPasswords, type Secrets } from '@teaching/local/secrets.ts';
import { expect } from 'vitest';
import { examine } from '../examine-installation.ts';
import type { Mistake } from './mistakes.ts';
import type { Planted } from './plant-faults.ts';

/** Secrets that no line may contain. */
const inNoLine = (secrets: Secrets): string[] => [
  secrets.signing,
  secrets.caller.seal,
  'planted-wrong-one',
  ...Object.values(natsPasswords(secrets)),
  ...Object.values(secrets.database).flatMap((roles) => Object.values(roles)),
];

/** Expects that a planted fault is found alone and without a secret, then removes it. */
export const expectOnlyFinding = async (
  { check, about, wrong, mend }: Omit<Mistake, 'plant'>,
  { installation, undo }: Planted,
  secrets: Secrets,
): Promise<void> => {
  try {
    const found = await examine(installation);
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
    expect(inNoLine(secrets).filter((secret) => told.includes(secret))).toEqual([]);
  } finally {
    await undo?.();
  }
};

import { issueToken, type Keys } from '@teaching/local/keys.ts';
import { DEMO_ORG } from '@teaching/local/welcome.ts';
import { startProgress } from '../../operators/cli/progress.ts';
import { CLAZZES } from './clazzes.ts';
import { type MadeSchool, makeSchool } from './make-school.ts';
import { createSchoolContext } from './school-context.ts';

const TOKEN_SECONDS = 3_600;
/** Estimated number of steps of a first run; the progress bar grows if there are more. */
const STEPS = 1_000;
const LENGTH = { weeks_back: 8, weeks_ahead: 8 };

/** Creates the demo school, or its missing parts, in the system at an address that trusts these keys. */
export const makeDemoSchool = async (address: string, keys: Keys): Promise<MadeSchool> => {
  const bar = startProgress('school', 'steps');
  const notes: string[] = [];
  let steps = 0;
  try {
    const making = createSchoolContext({
      wish: { clazzes: CLAZZES, length: LENGTH, now: new Date() },
      address,
      tokenFor: (sub, role) => issueToken(keys, { org: DEMO_ORG, sub, roles: [role], ttlSeconds: TOKEN_SECONDS }),
      onStep: () => bar.show((steps += 1), Math.max(STEPS, steps)),
      note: (line) => notes.push(line),
    });
    return await makeSchool(making);
  } finally {
    bar.end();
    for (const line of notes) console.error(line);
  }
};

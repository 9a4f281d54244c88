import { issueToken, keysIn } from '@teaching/local/keys.ts';
import { AlreadyRunning, lockFolder } from '@teaching/local/lock.ts';
import { addressOf, settingsFrom } from '@teaching/local/settings.ts';
import { DEMO_ORG } from '@teaching/local/welcome.ts';
import { join } from 'node:path';
import { startProgress } from './cli/progress.ts';
import { CLAZZES } from './school/clazzes.ts';
import { makeSchool } from './school/make.ts';
import { startMaking } from './school/making.ts';

const TOKEN_SECONDS = 3_600;
/** Things that are looked at or made when there is nothing yet; the bar grows if there are more. */
const STEPS = 1_000;
const LENGTH = { weeks_back: 8, weeks_ahead: 8 };

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );

const make = async (address: string, dataDir: string): Promise<void> => {
  const keys = keysIn(dataDir);
  const bar = startProgress('school', 'steps');
  const notes: string[] = [];
  let steps = 0;
  try {
    const making = startMaking({
      wish: { clazzes: CLAZZES, length: LENGTH, now: new Date() },
      address,
      tokenFor: (sub, role) => issueToken(keys, { org: DEMO_ORG, sub, roles: [role], ttlSeconds: TOKEN_SECONDS }),
      onStep: () => bar.show((steps += 1), Math.max(STEPS, steps)),
      note: (line) => notes.push(line),
    });
    const { clazzes, students, zone } = await makeSchool(making);
    bar.end();
    for (const line of notes) console.error(line);
    console.log(
      `The demo school is there: ${clazzes} classes, ${students} students, times of ${zone} (${process.uptime().toFixed(1)} s).`,
    );
  } finally {
    bar.end();
  }
};

const main = async (): Promise<number> => {
  const settings = settingsFrom(process.env);
  const { dataDir } = settings;
  const address = addressOf(settings);
  if (!(await isReady(address))) {
    console.error(
      `Nothing is ready at ${address}. Start the system with \`npm start\`, with the same PORT and DATA_DIR.`,
    );
    return 1;
  }
  try {
    const unlock = lockFolder(join(dataDir, 'school'));
    await make(address, dataDir).finally(unlock);
    return 0;
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error;
    console.error('The demo school is being made already.');
    return 1;
  }
};

process.exitCode = await main();

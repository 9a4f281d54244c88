import { keysIn } from '@teaching/local/keys.ts';
import { AlreadyRunning, lockFolder } from '@teaching/local/lock.ts';
import { addressOf, settingsFrom } from '@teaching/local/settings.ts';
import { join } from 'node:path';
import { makeDemoSchool } from './school/demo-school.ts';

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );

const make = async (address: string, dataDir: string): Promise<void> => {
  const { clazzes, students, zone } = await makeDemoSchool(address, keysIn(dataDir));
  console.log(
    `The demo school is there: ${clazzes} classes, ${students} students, times of ${zone} (${process.uptime().toFixed(1)} s).`,
  );
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

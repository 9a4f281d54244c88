import { ApiError } from '../libs/client/src/index.ts';
import { newId } from '../libs/kit/src/base/ids.ts';
import { Unexpected } from './developers/demo/expectation.ts';
import { createNarrator } from './developers/demo/narrator.ts';
import { playScenario } from './developers/demo/play-scenario.ts';
import { setStage } from './developers/demo/scenario-stage.ts';
import { issueToken, keysIn } from '@teaching/local/keys.ts';
import { settingsFrom } from '@teaching/local/settings.ts';

const TOKEN_SECONDS = 3_600;

/** The failure in one line. A fault of the demo itself keeps its stack. */
const explain = (error: unknown): string => {
  if (error instanceof Unexpected) return error.message;
  if (error instanceof ApiError) return `refused with ${error.status} ${error.code}: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );

const main = async (): Promise<number> => {
  const { host, port, dataDir } = settingsFrom(process.env);
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!(await isReady(address))) {
    console.error(
      `Nothing is ready at ${address}. Start the system with \`npm start\`, in another terminal and with the same PORT and DATA_DIR, then run this again.`,
    );
    return 1;
  }
  const keys = keysIn(dataDir);
  const narrator = createNarrator((line) => console.log(line), process.stdout.isTTY);
  const stage = setStage({
    address,
    org: newId(),
    tokenFor: (org, sub, roles) => issueToken(keys, { org, sub, roles, ttlSeconds: TOKEN_SECONDS }),
    narrator,
  });
  try {
    await playScenario(stage);
    console.log(`\n${narrator.good('All responses were as expected.')} The organization was ${stage.org}.`);
    return 0;
  } catch (error) {
    console.error(`\n${narrator.bad('Not as expected:')} ${explain(error)}`);
    return 1;
  }
};

process.exitCode = await main();

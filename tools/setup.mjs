// Makes a checkout ready to run: packages and a nats-server. Plain JavaScript for Node 20, because it
// runs before the project's own Node is there. Says nothing and is done at once when all is in place.
// `--packages-only` leaves nats-server aside, `--with-browser` brings a Chromium for tests, too. Everything it says goes to stderr.
import { fetchBrowser, needsBrowser } from './developers/setup/browser.mjs';
import { needsNatsServer, fetchNatsServer } from './developers/setup/nats-server.mjs';
import { needsPackages, installPackages } from './developers/setup/packages.mjs';
import { takeTurn } from './developers/setup/setup-lock.mjs';

const OLDEST_NODE = 20;

const withoutNats = process.argv.includes('--packages-only');
const isMissingNats = () => !withoutNats && needsNatsServer();
const withBrowser = process.argv.includes('--with-browser');
const isMissingBrowser = () => withBrowser && needsBrowser();

const setUpHistory = async () => {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
    throw new Error(`Node ${OLDEST_NODE} or newer is needed; this is ${process.version}.`);
  if (!needsPackages() && !isMissingNats() && !isMissingBrowser()) return;
  const done = await takeTurn();
  try {
    // Another set-up may have done it meanwhile.
    const packages = needsPackages() ? installPackages() : undefined;
    const results = await Promise.allSettled([
      packages,
      isMissingNats() ? fetchNatsServer() : undefined,
      isMissingBrowser() ? fetchBrowser(packages) : undefined,
    ]);
    const reasons = results.flatMap(({ reason }) => (reason ? [reason.message] : []));
    if (reasons.length > 0) throw new Error(reasons.join('\n\n'));
  } finally {
    done();
  }
};

/** After an interruption npm restores what it can. The process waits for that, so that the next run finds no partial state. */
const onSignal = (signal) => {
  if (process.exitCode === 130) process.exit();
  process.exitCode = 130;
  console.error(`\n${signal}: ending ... (once more to leave at once)`);
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);

setUpHistory().catch((error) => {
  console.error(`\n${error.message}`);
  process.exitCode ??= 1;
});

import { globSync, readFileSync } from 'node:fs';
import type { Proof } from './proof.ts';
import { restores } from './restores.ts';
import { testsAsProof } from './tests-as-proof.ts';
import { upgradeFrom010 } from './upgrade-from-0-1-0.ts';

const histories = testsAsProof({
  name: 'histories',
  about:
    'random histories leave a school as a simple model says, and statistics as their sources say, live and rebuilt',
  minutes: 4,
  files: [
    'services/clazz/test/cascade-model.int.test.ts',
    'services/stats/test/histories.int.test.ts',
    'services/stats/test/rebuild-rounds.long.test.ts',
  ],
});

const fuzz = testsAsProof({
  name: 'fuzz',
  about: 'whatever is sent to any route, 30 times each and other things each time, is answered as the document says',
  minutes: 1,
  files: ['services/gateway/test/fuzz.int.test.ts'],
});

const deletionRaces = testsAsProof({
  name: 'deletion-races',
  about: 'a thousand rounds of deleting and using something leave nothing that names what is gone',
  minutes: 2,
  files: ['tools/proofs/test/deletion-races.int.test.ts'],
});

const farBehind = testsAsProof({
  name: 'far-behind',
  about: 'a follower a million events behind catches up beside live traffic, in order and once',
  minutes: 1,
  files: ['libs/kit/test/follower-backlog.long.test.ts'],
});

const alerts = testsAsProof({
  name: 'alerts',
  about: 'what each alert is about makes it fire in real processes that a real Prometheus watches',
  minutes: 5,
  files: ['tools/proofs/test/alerts-live.proof.test.ts'],
});

const looks = testsAsProof({
  name: 'looks',
  about: 'every screen has no barriers in every language and theme',
  minutes: 2,
  files: globSync('{apps,tools}/**/*.browser.test.ts').filter((file) =>
    readFileSync(file, 'utf8').includes('APPEARANCES'),
  ),
  env: { EVERY_LOOK: 'yes' },
});

const consoleSpeed = testsAsProof({
  name: 'console-speed',
  about: 'what a person waits for in the console: it prints figures, and compares none',
  minutes: 2,
  files: ['apps/console/test/speed.proof.test.ts'],
});

/** All proofs that `npm run proof` knows. */
export const PROOFS: readonly Proof[] = [
  restores,
  upgradeFrom010,
  histories,
  fuzz,
  deletionRaces,
  farBehind,
  alerts,
  looks,
  consoleSpeed,
];

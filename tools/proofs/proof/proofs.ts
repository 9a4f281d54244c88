import { globSync, readFileSync } from 'node:fs';
import { guard } from './guard.ts';
import { pages } from './pages.ts';
import { changeOverProof } from './change-over.ts';
import type { Proof } from './proof.ts';
import { restores } from './restores.ts';
import { testsAsProof } from './tests-as-proof.ts';
import { upgradeFrom010 } from './upgrade-from-0-1-0.ts';

const histories = testsAsProof({
  name: 'histories',
  about:
    'after 1,000 random histories a school equals a simple model, and statistics equal their sources, live and rebuilt',
  minutes: 25,
  files: [
    'services/clazz/test/cascade-model.int.test.ts',
    'services/stats/test/histories.int.test.ts',
    'services/stats/test/rebuild-rounds.long.test.ts',
  ],
});

const fuzz = testsAsProof({
  name: 'fuzz',
  about: 'every route answers 30 random requests as the API document says',
  minutes: 1,
  files: ['services/gateway/test/fuzz.int.test.ts'],
});

const recurrence = testsAsProof({
  name: 'recurrence',
  about: 'the days of 10,000 random recurrence rules agree with an independent library',
  minutes: 2,
  files: ['libs/kit/src/base/recurrence.test.ts'],
});

const deletionRaces = testsAsProof({
  name: 'deletion-races',
  about: 'a thousand races of deleting a record against using it leave no reference to a deleted record',
  minutes: 2,
  files: ['tools/proofs/test/deletion-races.int.test.ts'],
});

const farBehind = testsAsProof({
  name: 'far-behind',
  about: 'a follower that is a million events behind catches up under live traffic, in order and without duplicates',
  minutes: 1,
  files: ['libs/kit/test/follower-backlog.long.test.ts'],
});

const alerts = testsAsProof({
  name: 'alerts',
  about: 'the fault that each alert describes makes it fire, in real processes watched by a real Prometheus',
  minutes: 5,
  files: ['tools/proofs/test/alerts-live.proof.test.ts'],
});

const clocks = testsAsProof({
  name: 'clocks',
  about: 'no request fails while the clock of any one part is an hour ahead or behind, and the skew is shown',
  minutes: 3,
  files: ['tools/proofs/test/clocks.proof.test.ts'],
});

const appearances = testsAsProof({
  name: 'looks',
  about: 'every screen is free of accessibility barriers in every language and theme',
  minutes: 2,
  files: globSync('{apps,tools}/**/*.browser.test.ts').filter((file) =>
    readFileSync(file, 'utf8').includes('APPEARANCES'),
  ),
  env: { EVERY_LOOK: 'yes' },
});

const consoleSpeed = testsAsProof({
  name: 'console-speed',
  about: 'prints how long a person waits in the console; compares no figures',
  minutes: 2,
  files: ['apps/console/test/speed.proof.test.ts'],
});

const broker = testsAsProof({
  name: 'broker',
  about: 'the credentials of one service or outside reader have no effect on others, beside a running system',
  minutes: 2,
  files: ['tools/proofs/test/broker-attempts.int.test.ts'],
});

/** All proofs of `npm run proof`. */
export const PROOFS: readonly Proof[] = [
  restores,
  upgradeFrom010,
  changeOverProof,
  histories,
  fuzz,
  recurrence,
  deletionRaces,
  farBehind,
  alerts,
  clocks,
  broker,
  appearances,
  consoleSpeed,
  guard,
  pages,
];

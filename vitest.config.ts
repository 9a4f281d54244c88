import { defineConfig } from 'vitest/config';

/** Long tests that lose and replace parts of a system: nothing else runs beside them. */
const ALONE = ['tools/proofs/faults/**/*.long.test.ts', 'tools/proofs/test/{cluster,nats-cluster,proxy}.long.test.ts'];

/** What a test waits for comes sooner; on a machine with much else to do it may take a while. */
const PATIENT = { expect: { poll: { timeout: 60_000 } } };

const LONG = {
  ...PATIENT,
  globalSetup: ['tools/proofs/test/global-setup.ts'],
  setupFiles: ['tools/proofs/test/show-lines.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  pool: 'forks' as const,
};

const STORIES = {
  ...PATIENT,
  include: ['{apps,tools}/**/*.browser.test.ts'],
  exclude: ['**/node_modules/**'],
  globalSetup: ['tools/proofs/test/global-setup.ts', 'tools/developers/browser/global-setup.ts'],
  setupFiles: ['tools/proofs/test/show-lines.ts'],
  isolate: false,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  pool: 'forks' as const,
  maxWorkers: 2,
};

/** The longest stories: in the long tests only. */
const LONGEST = ['lessons', 'timetable', 'zoom', 'builds', 'styles', 'waiting-marks'].map(
  (name) => `apps/console/test/${name}.browser.test.ts`,
);

/**
 * Unit tests lie beside their code; integration tests use a real Postgres and nats-server; stories a Chromium besides; long
 * ones several. The files of
 * a worker share its process and what it has loaded, but for the long ones. Proofs are no part of `npm test` and CI: `npm run proof`
 * runs them.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...PATIENT,
          name: 'unit',
          include: ['{apps,libs,services,tools}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: ['**/*.{int,long,story,proof}.test.ts', '**/node_modules/**'],
          setupFiles: ['tools/proofs/test/show-lines.ts'],
          isolate: false,
          // Some start compilers and other programs, for which a busy machine takes its time.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'integration',
          include: ['{apps,libs,services,tools}/**/*.int.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['tools/proofs/test/global-setup.ts'],
          setupFiles: ['tools/proofs/test/show-lines.ts'],
          isolate: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          pool: 'forks',
          // More than cores: many of them wait.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...STORIES,
          name: 'browser',
          exclude: [...STORIES.exclude, ...LONGEST],
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...STORIES,
          name: 'long-browser',
          include: LONGEST,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...LONG,
          name: 'long',
          include: ['{apps,libs,services,tools}/**/*.long.test.ts'],
          exclude: [...ALONE, '**/node_modules/**'],
          maxWorkers: 3,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          ...LONG,
          name: 'long-alone',
          include: ALONE,
          exclude: ['**/node_modules/**'],
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          ...LONG,
          name: 'proof',
          include: ['{libs,services,tools}/**/*.proof.test.ts'],
          exclude: ['**/node_modules/**'],
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          ...STORIES,
          name: 'proof-browser',
          include: ['apps/**/*.proof.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';

/** Long tests that ask how soon something is noticed: nothing else runs beside them. */
const ALONE = ['tools/faults/**/*.long.test.ts', 'tools/test/{cluster,nats-cluster,proxy}.long.test.ts'];

const LONG = {
  globalSetup: ['tools/test/global-setup.ts'],
  setupFiles: ['tools/test/show-lines.ts'],
  testTimeout: 180_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
};

/**
 * Unit tests lie beside their code; integration tests use a real Postgres and nats-server; long ones several. The files of
 * a worker share its process and what it has loaded, but for the long ones.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{libs,services,tools}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: ['**/*.{int,long}.test.ts', '**/node_modules/**'],
          setupFiles: ['tools/test/show-lines.ts'],
          isolate: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{libs,services,tools}/**/*.int.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['tools/test/global-setup.ts'],
          setupFiles: ['tools/test/show-lines.ts'],
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 90_000,
          pool: 'forks',
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...LONG,
          name: 'long',
          include: ['{libs,services,tools}/**/*.long.test.ts'],
          exclude: [...ALONE, '**/node_modules/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...LONG,
          name: 'long-alone',
          include: ALONE,
          exclude: ['**/node_modules/**'],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});

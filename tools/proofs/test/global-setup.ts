import { chmodSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { AlreadyRunning, lockFolder } from '@teaching/local/lock.ts';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import type { Addresses } from '@teaching/local/service-env.ts';
import { startStack } from '@teaching/local/stack.ts';
import { operations } from '../../../libs/contracts/src/index.ts';
import { openApiDocument } from '../../../services/gateway/src/docs/openapi.ts';
import { createTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: Addresses;
    /** Path of a file with the API document. */
    document: string;
    /** Path of the Postgres log. */
    postgres_log: string;
  }
}

const PREFIX = 'teaching-test-';

/** Removes the folders of test runs that were killed. Their servers ended with them. */
const removeOldFolders = (): void => {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    if (!existsSync(join(folder, 'lock'))) continue;
    try {
      lockFolder(folder);
      removeDataDir(folder);
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
    }
  }
};

/** Starts one Postgres and one nats-server for the whole run. Each test file creates its own database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeOldFolders();
  const dataDir = mkdtempSync(join(tmpdir(), PREFIX));
  lockFolder(dataDir);
  chmodSync(dataDir, 0o711);
  try {
    const stack = await startStack({ dataDir, throwaway: true });
    const { adminUrl, natsUrl, secrets } = stack;
    await createTemplate({ adminUrl, natsUrl, secrets });
    project.provide('stack', { adminUrl, natsUrl, secrets });
    const file = join(dataDir, 'openapi.json');
    writeFileSync(file, JSON.stringify(openApiDocument(operations)));
    project.provide('document', file);
    project.provide('postgres_log', join(dataDir, 'postgres.log'));
    return async () => {
      await stack.stop();
      removeDataDir(dataDir);
    };
  } catch (error) {
    removeDataDir(dataDir);
    throw error;
  }
}

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BROKER_FOLDER, INSTALLATION_FOLDER } from '../../../operators/broker/folders.ts';

const LISTS = ['readers.json', 'logins.json'];
const FILES = ['nats.conf', 'nats-tls.conf', 'users.conf'];

/** A file that is the same already stays untouched: another local system may be reading it. */
const copyFromRelease = (name: string): void => {
  const content = readFileSync(join(BROKER_FOLDER, name), 'utf8');
  const target = join(INSTALLATION_FOLDER, name);
  if (!existsSync(target) || readFileSync(target, 'utf8') !== content) writeFileSync(target, content);
};

/**
 * The path of the broker's configuration of this installation, as the present code requires it. The local broker uses it
 * from the beginning, so a reload suffices after `npm run readers` or `npm run logins`.
 */
export const installationConfig = async (): Promise<string> => {
  const hasLists = [BROKER_FOLDER, INSTALLATION_FOLDER].some((folder) =>
    LISTS.some((name) => existsSync(join(folder, name))),
  );
  if (hasLists) {
    // It loads the declarations of all services, so it is loaded only for an installation with users of its own.
    const { writeBroker } = await import('../../../operators/broker/files.ts');
    writeBroker(INSTALLATION_FOLDER);
  } else {
    mkdirSync(INSTALLATION_FOLDER, { recursive: true });
    FILES.forEach(copyFromRelease);
  }
  return join(INSTALLATION_FOLDER, 'nats.conf');
};

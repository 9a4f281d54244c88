import { fileURLToPath } from 'node:url';

const folder = (path: string): string => fileURLToPath(new URL(`../../../deploy/nats/${path}`, import.meta.url));

/** The broker's configuration of the release, without readers and keys. Only `npm run broker` writes it. */
export const BROKER_FOLDER = folder('');

/**
 * The broker's configuration of this installation, with its readers and keys. It is not part of the repository, and
 * takes the place of the release's once it exists.
 */
export const INSTALLATION_FOLDER = folder('installation/');

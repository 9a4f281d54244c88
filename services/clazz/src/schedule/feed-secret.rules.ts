import { createHash } from 'node:crypto';

/** What is kept of the secret of a feed. It is random, so a plain hash cannot be reversed by guessing. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

import { z } from 'zod';
import { loginPassword, loginUrl, onePassword } from '../../../libs/kit/src/ops/database-variables.ts';

/** What exporting and deleting need of the database: who prepares it (docs/secrets.md). */
export const orgConfig = z
  .object({
    DATABASE_ADMIN_URL: loginUrl(
      'the database, as who prepares it (docs/secrets.md)',
      'postgres://postgres:…@db:5432/teaching',
    ),
    DATABASE_ADMIN_PASSWORD: loginPassword('DATABASE_ADMIN_URL'),
  })
  .superRefine(onePassword('DATABASE_ADMIN'));

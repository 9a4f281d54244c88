import { z } from 'zod';
import { loginPassword, loginUrl, onePassword } from '../../../libs/kit/src/ops/database-variables.ts';

/** The variables of export and deletion: those of the role that prepares the database (docs/secrets.md). */
export const orgConfig = z
  .object({
    DATABASE_ADMIN_URL: loginUrl(
      'the database, as the role that prepares it (docs/secrets.md)',
      'postgres://postgres:…@db:5432/teaching',
    ),
    DATABASE_ADMIN_PASSWORD: loginPassword('DATABASE_ADMIN_URL'),
  })
  .superRefine(onePassword('DATABASE_ADMIN'));

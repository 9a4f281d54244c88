import { z } from 'zod';
import type { ServiceName } from '../../../libs/contracts/src/registry.ts';
import { adminConfig, oneBrokerLogin } from '../../../libs/kit/src/ops/broker-variables.ts';
import { streamConfig } from '../../../libs/kit/src/ops/config.ts';
import { loginPassword, loginUrl, onePassword } from '../../../libs/kit/src/ops/database-variables.ts';
import { secretVariable } from '../../../libs/kit/src/ops/secret-variable.ts';
import { passwords } from '../../../libs/kit/src/ops/variables.ts';

const password = (service: ServiceName, role: string) =>
  secretVariable(passwords(`the password of ${service}_${role}`, 12));
const Variables = z.object({
  /** The database is created if it is missing. */
  DATABASE_ADMIN_URL: loginUrl(
    'the database to prepare, as a superuser or a role that may do it (docs/secrets.md)',
    'postgres://postgres:…@db:5432/teaching',
  ),
  DATABASE_ADMIN_PASSWORD: loginPassword('DATABASE_ADMIN_URL'),
  CLAZZ_OWNER_PASSWORD: password('clazz', 'owner'),
  CLAZZ_APP_PASSWORD: password('clazz', 'app'),
  CLAZZ_WORKER_PASSWORD: password('clazz', 'worker'),
  COURSE_OWNER_PASSWORD: password('course', 'owner'),
  COURSE_APP_PASSWORD: password('course', 'app'),
  COURSE_WORKER_PASSWORD: password('course', 'worker'),
  PACKAGE_OWNER_PASSWORD: password('package', 'owner'),
  PACKAGE_APP_PASSWORD: password('package', 'app'),
  PACKAGE_WORKER_PASSWORD: password('package', 'worker'),
  STATS_OWNER_PASSWORD: password('stats', 'owner'),
  STATS_APP_PASSWORD: password('stats', 'app'),
  STATS_WORKER_PASSWORD: password('stats', 'worker'),
  /** With it, the migration creates a role that backs up the whole cluster. */
  BACKUP_PASSWORD: secretVariable(passwords('the password of teaching_backup', 12)).optional(),
  ...adminConfig,
  /** With a login of the broker's admin, streams get the limits below. */
  NATS_URL: adminConfig.NATS_URL.optional(),
  ...streamConfig,
});
/** The variables of tools/migrate.ts. */
export const migrateConfig = Variables.superRefine(oneBrokerLogin).superRefine(onePassword('DATABASE_ADMIN'));

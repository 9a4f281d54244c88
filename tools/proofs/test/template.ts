import { app as clazz } from '../../../services/clazz/src/app.ts';
import { app as course } from '../../../services/course/src/app.ts';
import { app as packages } from '../../../services/package/src/app.ts';
import { app as stats } from '../../../services/stats/src/app.ts';
import { migrate } from '../../../libs/kit/src/db/migrate.ts';
import { ensureDatabase, provision } from '../../operators/migrate/provision.ts';
import { type Addresses, serviceEnv } from '@teaching/local/service-env.ts';
import { SERVICES } from '@teaching/local/secrets.ts';

export const TEMPLATE = 'teaching_template';
const apps = { clazz, course, package: packages, stats };

/** Creates a migrated, empty database that every test file copies, because copying is much faster than migrating. */
export const createTemplate = async (addresses: Addresses): Promise<void> => {
  const adminUrl = await ensureDatabase(addresses.adminUrl, TEMPLATE);
  const prepare = async (name: (typeof SERVICES)[number]): Promise<void> => {
    await provision({ adminUrl, service: name, passwords: addresses.secrets.database[name] });
    const url = serviceEnv(name, { ...addresses, adminUrl })['MIGRATION_DATABASE_URL'];
    if (url !== undefined) await migrate(url, name, apps[name].migrations);
  };
  await Promise.all(SERVICES.map(prepare));
};

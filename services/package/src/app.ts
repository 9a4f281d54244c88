import { packageCalls } from '@teaching/contracts';
import { type App, routes } from '@teaching/kit';
import { migrations } from './db/migrations.ts';
import { itemModule } from './item/item.module.ts';
import { packageModule } from './package/package.module.ts';
import { referenceModule } from './reference/reference.module.ts';
import { versionModule } from './version/version.module.ts';

/** The package service: its modules and migrations. A call of the contract without a handler does not compile. */
export const app: App = {
  name: 'package',
  modules: [
    {
      routes: routes(packageCalls, {
        ...packageModule.handlers,
        ...itemModule.handlers,
        ...versionModule.handlers,
        ...referenceModule.handlers,
      }),
    },
    referenceModule,
  ],
  follower: undefined,
  migrations,
};

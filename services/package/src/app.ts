import { packageCalls, packageReferenceCalls } from '@teaching/contracts';
import { type App, closedLog, logState, logTimeline, numberedLog, routes, sampledLate } from '@teaching/kit';
import { packages } from './db/001_packages.ts';
import { indexesOfGrowth } from './db/002_indexes_of_growth.ts';
import { priceWithoutCurrency } from './db/003_price_without_currency.ts';
import { listPackageItems } from './item/list-package-items.ts';
import { syncPackageItems } from './item/sync-package-items.ts';
import { checkPackages } from './package/check-packages.ts';
import { copyPackage } from './item/copy-package.ts';
import { createPackage } from './package/create-package.ts';
import { getPackage } from './package/get-package.ts';
import { listMyPackages, listPackages } from './package/list-packages.ts';
import { deletePackage } from './package/delete-package.ts';
import { updatePackage } from './package/update-package.ts';
import { countPerson, countReferences } from './reference/count-references.ts';
import { checkVersions } from './version/check-versions.ts';
import { publishPackage } from './version/publish-package.ts';
import { comparePackageVersions, getPackageVersion, listPackageVersions } from './version/read-versions.ts';
import { unpublishPackage } from './version/unpublish-package.ts';

/** The package service: what it answers. */
export const app: App = {
  name: 'package',
  routes: [
    ...routes(packageCalls, {
      createPackage,
      copyPackage,
      getPackage,
      updatePackage,
      deletePackage,
      listMyPackages,
      listPackages,
      publishPackage,
      unpublishPackage,
      syncPackageItems,
      listPackageItems,
      listPackageVersions,
      getPackageVersion,
      comparePackageVersions,
      checkVersions,
      checkReferences: checkPackages,
    }),
    ...routes(packageReferenceCalls, { countReferences, countPerson }),
  ],
  follower: undefined,
  jobs: [],
  migrations: [
    packages,
    numberedLog('package'),
    indexesOfGrowth,
    priceWithoutCurrency,
    closedLog('103_closed_log', 'package', ['domain']),
    logTimeline('104_log_timeline'),
    sampledLate('105_sampled_late', 'log_entry', 'log_batch'),
    logState('106_log_state', 'package'),
  ],
};

import { packageCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { copyPackage } from '../item/copy-package.ts';
import { listPackageItems } from '../item/list-package-items.ts';
import { syncPackageItems } from '../item/sync-package-items.ts';
import { checkReferences } from '../reference/package-references.calls.ts';
import { publishPackage, unpublishPackage } from '../version/publish-package.ts';
import {
  checkVersions,
  comparePackageVersions,
  getPackageVersion,
  listPackageVersions,
} from '../version/read-versions.ts';
import { deletePackage } from './delete-package.ts';
import { getPackage, listMyPackages, listPackages } from './read-packages.ts';
import { createPackage, updatePackage } from './write-package.ts';

/** Packages with their items and versions: the contract declares their calls in one group. */
export const packageModule = {
  routes: routes(packageCalls, {
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
    checkReferences,
  }),
};

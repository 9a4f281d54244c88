import { publishPackage, unpublishPackage } from './publish-package.ts';
import { checkVersions, comparePackageVersions, getPackageVersion, listPackageVersions } from './read-versions.ts';

export const versionModule = {
  handlers: {
    publishPackage,
    unpublishPackage,
    listPackageVersions,
    getPackageVersion,
    comparePackageVersions,
    checkVersions,
  },
};

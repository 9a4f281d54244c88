import { copyPackage } from './copy-package.ts';
import { listPackageItems } from './list-package-items.ts';
import { syncPackageItems } from './sync-package-items.ts';

export const itemModule = { handlers: { copyPackage, listPackageItems, syncPackageItems } };

import { deletePackage } from './delete-package.ts';
import { getPackage, listMyPackages, listPackages } from './read-packages.ts';
import { createPackage, updatePackage } from './write-package.ts';

export const packageModule = {
  handlers: { createPackage, getPackage, updatePackage, deletePackage, listMyPackages, listPackages },
};

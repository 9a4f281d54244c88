import { packageReferenceCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { checkReferences, countPersonReferences, countReferences } from './reference.calls.ts';

/** Questions of other services that store the id of a package, or are about to delete something that packages name. */
export const referenceModule = {
  handlers: { checkReferences },
  routes: routes(packageReferenceCalls, { countReferences, countPerson: countPersonReferences }),
};

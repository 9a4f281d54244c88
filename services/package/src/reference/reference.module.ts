import { packageReferenceCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { checkReferences, countPersonReferences, countReferences } from './reference.calls.ts';

/** Calls of other services that store the id of a package, or that delete a record to which packages may refer. */
export const referenceModule = {
  handlers: { checkReferences },
  routes: routes(packageReferenceCalls, { countReferences, countPerson: countPersonReferences }),
};

import { packageReferenceCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { countPerson, countReferences } from './package-references.calls.ts';

/** Questions of other services that are about to delete something. */
export const referenceModule = { routes: routes(packageReferenceCalls, { countReferences, countPerson }) };

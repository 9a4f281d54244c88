import { courseReferenceCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { checkReferences, countPerson, countReferences } from './reference.calls.ts';

export const referenceModule = {
  routes: routes(courseReferenceCalls, { checkReferences, countReferences, countPerson: countPerson }),
};

import { refusalCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { storeRefusals, listRefusals, removeOldRefusals } from './refusals.ts';

/** Counts of refused callers, as gateways send them. */
export const refusalModule: Module = {
  routes: [...routes(refusalCalls, { keep: storeRefusals, listRefusals })],
  jobs: [removeOldRefusals],
};

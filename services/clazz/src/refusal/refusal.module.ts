import { refusalCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { storeRefusals, listRefusals, removeOldRefusals } from './refusals.ts';

/** Stores the refusals counted by gateways, and lists them. */
export const refusalModule: Module = {
  routes: [...routes(refusalCalls, { keep: storeRefusals, listRefusals })],
  jobs: [removeOldRefusals],
};

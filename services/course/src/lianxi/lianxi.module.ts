import { lianxiCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { extendLianxi } from './extend-lianxi.ts';
import { getLianxiOverview } from './get-lianxi-overview.ts';
import { listSubmissions } from './list-submissions.ts';
import { getLianxi, listLianxi } from './read-lianxi.ts';
import { submitLianxi } from './submit-lianxi.ts';
import { copyLianxi, createLianxi, deleteLianxi, updateLianxi } from './write-lianxi.ts';

export const lianxiModule = {
  routes: routes(lianxiCalls, {
    createLianxi,
    copyLianxi,
    listLianxi,
    getLianxi,
    updateLianxi,
    deleteLianxi,
    extendLianxi,
    getLianxiOverview,
    submitLianxi,
    listSubmissions,
  }),
};

import { piyueCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { claimSubmission, listPiyueQueue } from './claim-submission.ts';
import { listSubmissionMarks, markSubmission } from './mark-submission.ts';
import { releaseSubmissionMarks } from './release-submission-marks.ts';

export const piyueModule = {
  routes: routes(piyueCalls, {
    listPiyueQueue,
    claimSubmission,
    markSubmission,
    releaseSubmissionMarks,
    listSubmissionMarks,
  }),
};

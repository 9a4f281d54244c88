import { leaveCalls, rollCallCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { bookMakeUp, undoMakeUp } from './book-make-up.ts';
import { approveLeave, cancelLeave, rejectLeave } from './decide-leave.ts';
import { listMakeUpOptions } from './list-make-up-options.ts';
import { listMissingRollCalls } from './list-missing-roll-calls.ts';
import { quoteLeave } from './quote-leave.ts';
import { getLeave, listLeaves } from './read-leaves.ts';
import { getRollCall, listRollCallRevisions } from './read-roll-call.ts';
import { reopenLeave } from './reopen-leave.ts';
import { requestLeave } from './request-leave.ts';
import { submitRollCall } from './submit-roll-call.ts';

/** Roll calls, leave and make-up lessons. */
export const attendanceModule: Module = {
  routes: [
    ...routes(rollCallCalls, { getRollCall, submitRollCall, listRollCallRevisions, listMissingRollCalls }),
    ...routes(leaveCalls, {
      requestLeave,
      quoteLeave,
      listLeaves,
      getLeave,
      approveLeave,
      rejectLeave,
      reopenLeave,
      cancelLeave,
      bookMakeUp,
      listMakeUpOptions,
      undoMakeUp,
    }),
  ],
};

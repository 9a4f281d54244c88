import { clazzCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { completeClazz, previewClazzCompletion } from './complete-clazz.ts';
import { activateClazz, createClazz } from './create-clazz.ts';
import { deleteClazz } from './delete-clazz.ts';
import { cancelClazz } from './end-clazz.ts';
import { getClazz, listClazzes } from './read-clazzes.ts';
import { reopenClazz } from './reopen-clazz.ts';
import { putClazzAssistants, updateClazz } from './update-clazz.ts';

/** Creates, changes, completes, reopens and deletes classes. */
export const clazzModule: Module = {
  routes: [
    ...routes(clazzCalls, {
      createClazz,
      listClazzes,
      getClazz,
      updateClazz,
      deleteClazz,
      activateClazz,
      cancelClazz,
      previewClazzCompletion,
      completeClazz,
      reopenClazz,
      putClazzAssistants,
    }),
  ],
};

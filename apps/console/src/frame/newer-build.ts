import { unsavedMarks } from '../shared/unsaved-marks.ts';

const NAME = 'loaded-again-from';

/**
 * Loads the page again where a file of its build did not come: there may be a newer build, of which that file is no more. Once for each
 * build, and not where something would be lost by it. Answers whether it does.
 */
export const loadNewerBuild = (): boolean => {
  if (!navigator.onLine || !unsavedMarks.value.isKept) return false;
  const build = import.meta.url;
  try {
    if (sessionStorage.getItem(NAME) === build) return false;
    sessionStorage.setItem(NAME, build);
  } catch {
    return false;
  }
  location.reload();
  return true;
};

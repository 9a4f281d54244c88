import { unsavedMarks } from '../shared/unsaved-marks.ts';

const STORAGE_KEY = 'loaded-again-from';

/**
 * Reloads the page after a file of its build could not be loaded: a newer build may have replaced that file. It
 * reloads once per build, and not while unsaved marks would be lost. Returns whether it reloads.
 */
export const loadNewerBuild = (): boolean => {
  if (!navigator.onLine || !unsavedMarks.value.isStored) return false;
  const build = import.meta.url;
  try {
    if (sessionStorage.getItem(STORAGE_KEY) === build) return false;
    sessionStorage.setItem(STORAGE_KEY, build);
  } catch {
    return false;
  }
  location.reload();
  return true;
};

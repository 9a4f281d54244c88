import type { Plugin } from 'vite';

/** Matches `week/week.css`: a stylesheet named after its folder. */
const SCREEN_STYLESHEET = /\/src\/([\w-]+)\/\1\.css(?:\?|$)/;

/**
 * Limits the stylesheet of a screen to that screen. A stylesheet stays loaded, and several screens use the same
 * class names. `:where` adds no specificity to its rules.
 */
export const ownStyles = (): Plugin => ({
  name: 'own-styles',
  enforce: 'pre',
  transform(code, id) {
    const screen = SCREEN_STYLESHEET.exec(id)?.[1];
    return screen === undefined ? undefined : { code: `:where([data-screen='${screen}']) {\n${code}\n}`, map: null };
  },
});

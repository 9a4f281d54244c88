import type { Plugin } from 'vite';

/** `week/week.css` and the like. */
const OF_A_SCREEN = /\/src\/([\w-]+)\/\1\.css(?:\?|$)/;

/**
 * What the stylesheet of a screen says holds on that screen alone: once loaded it stays, and screens use the same words. Its rules
 * weigh as much as without.
 */
export const ownStyles = (): Plugin => ({
  name: 'own-styles',
  enforce: 'pre',
  transform(code, id) {
    const screen = OF_A_SCREEN.exec(id)?.[1];
    return screen === undefined ? undefined : { code: `:where([data-screen='${screen}']) {\n${code}\n}`, map: null };
  },
});

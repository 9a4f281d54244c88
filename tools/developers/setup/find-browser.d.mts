/** Program of a browser for tests and what its environment needs besides, or undefined. */
export const findBrowser: () => { program: string; env: Record<string, string> } | undefined;
/** A folder with fonts for it, which need not be there. */
export const FONTS: string;

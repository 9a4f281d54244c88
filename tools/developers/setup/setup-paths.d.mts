export const CHECKOUT: string;
/** What set-up and tools keep beside the packages; git does not see it. */
export const OWN_FOLDER: string;

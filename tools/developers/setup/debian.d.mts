/**
 * A folder with the files of one of the distribution's packages, of its own suite or of another one. Throws, and says why,
 * where it cannot be had.
 */
export const unpackedFromDebian: (name: string, suite?: string) => Promise<string>;

/** A folder with the files of one of the distribution's packages. Throws, and says why, where it cannot be had. */
export const unpackedFromDebian: (name: string) => Promise<string>;

/** A half-open period without end, as `tstzrange` reads it; `null`: without beginning either. */
export const openSince = (since: string | null): string => (since === null ? '(,)' : `[${since},)`);

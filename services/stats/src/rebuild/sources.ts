/** The services whose events statistics are made of. */
export const SOURCES = ['clazz', 'course'] as const;

export type Env = Readonly<Record<string, string | undefined>>;

/** Thrown at start-up: a line for each setting that is missing or wrong, what is wrong, and what would be right. */
export class ConfigError extends Error {}

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Thrown at the start. The message has a line for each missing or invalid setting, with the problem and the expected
 * form.
 */
export class ConfigError extends Error {}

/** A configuration with its secrets as they are now. */
export const resolvedConfig = (config: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]: [string, unknown]): [string, unknown] => [
      name,
      typeof value === 'function' ? value() : value,
    ]),
  );

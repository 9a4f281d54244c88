/** Errors of SQLSTATE class 22 are about a value, errors of parsers about their text: both repeat it in quotes. */
const repeatsValues = (error: Error): boolean =>
  error instanceof SyntaxError || ('code' in error && typeof error.code === 'string' && error.code.startsWith('22'));

/** The message of an error, without values that were sent or stored. */
export const redactedMessage = (error: Error): string =>
  repeatsValues(error) ? error.message.replaceAll(/"[^]*"|'[^]*'/g, '…') : error.message;

/** A text that quotes an error and its causes, without values that were sent or stored. */
export const redactValues = (text: string, error: Error): string => {
  const plain = text.replaceAll(error.message || '\0', () => redactedMessage(error));
  return error.cause instanceof Error ? redactValues(plain, error.cause) : plain;
};

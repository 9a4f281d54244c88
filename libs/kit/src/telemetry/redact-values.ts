/** Class 22 of SQLSTATE is about a value that was given, as parsers are about their text: both repeat it in quotes. */
const repeatsValues = (error: Error): boolean =>
  error instanceof SyntaxError || ('code' in error && typeof error.code === 'string' && error.code.startsWith('22'));

/** What went wrong in the words of an error, without values that somebody sent or stored. */
export const redactedMessage = (error: Error): string =>
  repeatsValues(error) ? error.message.replaceAll(/"[^]*"|'[^]*'/g, '…') : error.message;

/** A text that quotes an error and what it was caused by, without those values. */
export const redactValues = (text: string, error: Error): string => {
  const plain = text.replaceAll(error.message || '\0', () => redactedMessage(error));
  return error.cause instanceof Error ? redactValues(plain, error.cause) : plain;
};

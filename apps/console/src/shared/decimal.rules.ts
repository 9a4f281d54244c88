/** A typed decimal with a point or a comma, as the API takes it. */
export const toDecimal = (typed: string): string => typed.trim().replace(',', '.');

export interface DecimalRange {
  min: number;
  max: number;
  /** The most decimal places. */
  places: number;
}

/** Whether the text is a decimal of the range. An empty text is one: `required` is a rule of its own. */
export const isDecimalIn = (typed: string, { min, max, places }: DecimalRange): boolean => {
  const text = toDecimal(typed);
  if (text === '') return true;
  const fraction = /^\d+(?:\.(\d+))?$/.exec(text);
  if (fraction === null || (fraction[1]?.length ?? 0) > places) return false;
  return Number(text) >= min && Number(text) <= max;
};

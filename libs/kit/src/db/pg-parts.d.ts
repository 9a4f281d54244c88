/** Parts of the driver that it exports and its types do not tell of. */

declare module 'pg/lib/utils.js' {
  export type WireValue = string | Buffer | null;
  /** What goes over the wire for a value. */
  export const prepareValue: (value: unknown) => WireValue;
}

declare module 'pg/lib/result.js' {
  import type { CustomTypesConfig, QueryResultRow } from 'pg';

  /** Makes rows of what came over the wire. */
  export default class Result {
    constructor(rowMode: undefined, types: CustomTypesConfig | undefined);
    addFields(fields: readonly unknown[]): void;
    parseRow(values: readonly unknown[]): QueryResultRow;
  }
}

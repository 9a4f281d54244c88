import type { ComponentChildren } from 'preact';
import type { QueryState } from '../query.ts';
import { Failure, Skeleton } from './message.tsx';

/** Shows the data of a request, a placeholder or the failure. Earlier data stays visible below a failure. */
export const QueryView = <T,>({
  of,
  rows,
  children,
}: {
  of: QueryState<T>;
  rows?: number;
  children: (data: T) => ComponentChildren;
}) => {
  const data = of.data.value;
  const error = of.error.value;
  return (
    <>
      {error !== undefined && <Failure error={error} again={of.again} />}
      {data === undefined
        ? error === undefined && <Skeleton {...(rows === undefined ? {} : { rows })} />
        : children(data)}
    </>
  );
};

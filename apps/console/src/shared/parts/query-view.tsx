import type { ComponentChildren } from 'preact';
import type { QueryState } from '../query.ts';
import { Failure, Skeleton } from './message.tsx';

/** Shows the data of a request, a placeholder or the failure. Earlier data stays visible below a failure. */
export const QueryView = <T,>({
  query,
  rows,
  children,
}: {
  query: QueryState<T>;
  rows?: number;
  children: (data: T) => ComponentChildren;
}) => {
  const data = query.data.value;
  const error = query.error.value;
  return (
    <>
      {error !== undefined && <Failure error={error} retry={query.refetch} />}
      {data === undefined
        ? error === undefined && <Skeleton {...(rows === undefined ? {} : { rows })} />
        : children(data)}
    </>
  );
};

import type { ComponentChildren } from 'preact';
import type { QueryState } from '../query.ts';
import { Failure, Skeleton } from './message.tsx';

/** What was asked for, or that it is under way, or why it did not come; what was there before stays beside a failure. */
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

/** The last of several states of each record: what a transaction leaves behind. */
export const lastById = <T extends { id: string }>(states: readonly T[]): T[] => [
  ...new Map(states.map((state) => [state.id, state])).values(),
];

/** What small signs of a lesson say. */

interface Marks {
  present: number;
  late: number;
  absent: number;
  leave: number;
  makeup: number;
  trial: number;
  unmarked: number;
}
interface Seen {
  status: 'scheduled' | 'held' | 'cancelled';
  ends_at: string;
  enrolled: number;
  guests: number;
  capacity: number | null;
  free: number | null;
  marks: Marks;
}

export type RollCall = 'missing' | 'incomplete' | 'done';

/** Where the roll call stands of a lesson that is over; before, and where nobody is expected, it stands nowhere. */
export const rollCallOf = ({ status, ends_at, marks }: Seen, now: number): RollCall | undefined => {
  if (status === 'cancelled') return undefined;
  const { unmarked, ...marked } = marks;
  const hasMarks = Object.values(marked).some((count) => count > 0);
  if (unmarked > 0 && hasMarks) return 'incomplete';
  if (hasMarks) return 'done';
  return unmarked > 0 && Date.parse(ends_at) <= now ? 'missing' : undefined;
};

/** How many have a place, of how many; those who are suspended keep theirs. */
export const placesOf = ({
  enrolled,
  guests,
  capacity,
  free,
}: Seen): { taken: number; of: number | null; isFull: boolean } =>
  capacity === null || free === null
    ? { taken: enrolled + guests, of: null, isFull: false }
    : { taken: Math.max(enrolled + guests, capacity - free), of: capacity, isFull: free === 0 };

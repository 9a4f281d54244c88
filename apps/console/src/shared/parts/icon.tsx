/** Line icons on a grid of 24. */
const PATHS = {
  today: 'M12 7v5l3 2 M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z',
  calendar: 'M7 3v3 M17 3v3 M4 9h16 M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  list: 'M8 6h12 M8 12h12 M8 18h12 M4 6h.01 M4 12h.01 M4 18h.01',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Z M2.5 20a6.5 6.5 0 0 1 13 0 M16 4.3a3.5 3.5 0 0 1 0 6.4 M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  close: 'M6 6l12 12 M18 6 6 18',
  left: 'm14.5 5-7 7 7 7',
  right: 'm9.5 5 7 7-7 7',
  plus: 'M12 5v14 M5 12h14',
  undo: 'M8 5 4 9l4 4 M4 9h10a6 6 0 0 1 0 12h-3',
  print: 'M7 8V3h10v5 M7 17H4v-7a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v7h-3 M7 14h10v7H7Z',
  warning: 'M12 4 2.5 20h19L12 4Z M12 10v4 M12 17h.01',
  offline:
    'M3 3l18 18 M5 12.5a10 10 0 0 1 4-2.3 M2 9a15 15 0 0 1 4.5-2.7 M11 5.1A15 15 0 0 1 22 9 M15.5 11.2a10 10 0 0 1 3.5 1.8 M8.5 16a5 5 0 0 1 7 0 M12 20h.01',
  note: 'M5 4h14v11l-5 5H5Z M14 20v-5h5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1 M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  swap: 'M4 8h14 M14 4l4 4-4 4 M20 16H6 M10 12l-4 4 4 4',
} as const;
export type IconName = keyof typeof PATHS;

/** A decorative icon. Its meaning is in the text beside it or in the label of its button. */
export const Icon = ({ name, size = 20 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.9"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);

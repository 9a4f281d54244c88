import { adults, children, type SchoolPerson, teens } from './people.ts';

/** RFC 5545, Monday first. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** When a class meets: each of the days at one local time. */
export interface Slot {
  days: readonly Weekday[];
  /** `HH:MM` */
  time: string;
}

export interface SchoolClazz {
  /** Never changes: random draws depend on it. */
  key: string;
  name: string;
  course: string;
  category: string;
  sections: readonly string[];
  teacher: string;
  assistant?: string;
  room: string;
  capacity: number;
  minutes: number;
  slots: readonly Slot[];
  students: readonly string[];
  /** On the waiting list, in order. */
  waiting?: readonly string[];
  package: string;
}

const ids = (list: readonly SchoolPerson[], ...places: readonly number[]): string[] =>
  places.map((place) => list[place]?.user_id ?? '');
const row = (list: readonly SchoolPerson[], from: number, to: number): string[] =>
  list.slice(from, to + 1).map(({ user_id }) => user_id);

const WORKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR'] as const;
const ODD = ['MO', 'WE', 'FR'] as const;
const EVEN = ['TU', 'TH'] as const;

/** Where lessons are given; their capacity bounds the classes. */
export const ROOMS = [
  { name: 'Room 1', capacity: 12, note: 'Ground floor, step-free' },
  { name: 'Room 2', capacity: 10, note: null },
  { name: 'Room 3', capacity: 10, note: 'Projector' },
  { name: 'Studio', capacity: 6, note: 'Tables for ink and paper' },
  { name: 'Music room', capacity: 18, note: 'Two pianos' },
  { name: 'Library', capacity: 24, note: 'Quiet hours until 14:00' },
] as const;

/** Every day has lessons from 09:00 to 21:00, with a break at noon; no person has two lessons at once. */
export const CLAZZES: readonly SchoolClazz[] = [
  {
    key: 'spanish-a1',
    name: 'Spanish A1 intensive',
    course: 'Español A1',
    category: 'European languages',
    sections: ['Saludos', 'La familia', 'En el mercado', 'De viaje'],
    teacher: 'carmen-vega',
    room: 'Room 1',
    capacity: 10,
    minutes: 120,
    slots: [{ days: WORKDAYS, time: '09:00' }],
    students: row(adults, 0, 7),
    package: 'Spanish, 40 hours',
  },
  {
    key: 'hsk-2',
    name: 'Chinese HSK 2 汉语二级',
    course: '汉语 HSK 2',
    category: 'Asian languages',
    sections: ['问路', '点菜', '天气', '看病'],
    teacher: 'li-wang',
    assistant: 'min-zhao',
    room: 'Room 2',
    capacity: 10,
    minutes: 90,
    slots: [{ days: WORKDAYS, time: '10:30' }],
    students: row(adults, 8, 15),
    package: 'Chinese, 40 hours 汉语40课时',
  },
  {
    key: 'english-work',
    name: 'English for work',
    course: 'English for work',
    category: 'European languages',
    sections: ['Meetings', 'E-mail', 'Presenting'],
    teacher: 'james-carter',
    room: 'Room 3',
    capacity: 8,
    minutes: 60,
    slots: [
      { days: ODD, time: '12:00' },
      { days: ['SA'], time: '10:30' },
    ],
    students: row(adults, 16, 22),
    package: 'English, 20 hours',
  },
  {
    key: 'calligraphy',
    name: 'Calligraphy 书法',
    course: 'Chinese calligraphy 书法',
    category: 'Arts',
    sections: ['楷书', '行书'],
    teacher: 'min-zhao',
    room: 'Studio',
    capacity: 6,
    minutes: 90,
    slots: [
      { days: EVEN, time: '12:00' },
      { days: ['SU'], time: '10:30' },
    ],
    students: ids(adults, 4, 10, 17, 23, 24, 25),
    waiting: ids(adults, 13, 21),
    package: 'Arts, 20 hours',
  },
  {
    key: 'children-chinese',
    name: 'Chinese for children 少儿中文',
    course: '少儿中文',
    category: 'Asian languages',
    sections: ['动物', '颜色', '我的家'],
    teacher: 'li-wang',
    room: 'Room 2',
    capacity: 8,
    minutes: 60,
    slots: [
      { days: ODD, time: '15:00' },
      { days: ['SA'], time: '09:00' },
    ],
    students: row(children, 0, 7),
    waiting: ids(children, 8, 9),
    package: "Children's club, 30 hours",
  },
  {
    key: 'piano',
    name: 'Piano in a group 钢琴',
    course: 'Piano for children',
    category: 'Music',
    sections: ['Right hand', 'Both hands', 'First recital'],
    teacher: 'elena-rossi',
    room: 'Music room',
    capacity: 6,
    minutes: 60,
    slots: [
      { days: EVEN, time: '15:00' },
      { days: ['SU'], time: '09:00' },
    ],
    students: row(children, 8, 13),
    package: 'Music, 20 hours',
  },
  {
    key: 'maths-olympiad',
    name: 'Maths olympiad 数学竞赛',
    course: 'Maths olympiad',
    category: 'Mathematics',
    sections: ['Numbers', 'Geometry', 'Counting'],
    teacher: 'daniel-weber',
    room: 'Room 3',
    capacity: 10,
    minutes: 90,
    slots: [
      { days: ODD, time: '16:30' },
      { days: ['SA'], time: '12:00' },
    ],
    students: [...row(teens, 4, 9), ...ids(children, 0, 1)],
    package: 'Maths, 30 hours',
  },
  {
    key: 'english-teens',
    name: 'English for teens',
    course: 'English B1 for teens',
    category: 'European languages',
    sections: ['School life', 'The web', 'Travel'],
    teacher: 'james-carter',
    room: 'Room 1',
    capacity: 10,
    minutes: 90,
    slots: [
      { days: EVEN, time: '16:30' },
      { days: ['SU'], time: '12:00' },
    ],
    students: [...row(teens, 0, 3), ...row(teens, 10, 13)],
    package: 'English, 20 hours',
  },
  {
    key: 'spanish-b1',
    name: 'Spanish B1 conversation',
    course: 'Español B1',
    category: 'European languages',
    sections: ['Noticias', 'Opiniones', 'Cine'],
    teacher: 'carmen-vega',
    room: 'Room 1',
    capacity: 10,
    minutes: 90,
    slots: [
      { days: ODD, time: '18:00' },
      { days: ['SA'], time: '15:00' },
      { days: ['SU'], time: '19:30' },
    ],
    students: row(adults, 23, 30),
    package: 'Spanish, 40 hours',
  },
  {
    key: 'maths-exam',
    name: 'Maths, year 10 exam',
    course: 'Maths, year 10',
    category: 'Mathematics',
    sections: ['Functions', 'Trigonometry', 'Statistics'],
    teacher: 'daniel-weber',
    room: 'Room 3',
    capacity: 10,
    minutes: 90,
    slots: [
      { days: EVEN, time: '18:00' },
      { days: ['SA'], time: '16:30' },
      { days: ['SU'], time: '15:00' },
    ],
    students: ids(teens, 4, 5, 6, 8, 10, 13),
    package: 'Maths, 30 hours',
  },
  {
    key: 'french-a2',
    name: 'French A2 法语',
    course: 'Français A2',
    category: 'European languages',
    sections: ['Le passé', 'À table', 'En ville'],
    teacher: 'amira-haddad',
    room: 'Room 2',
    capacity: 10,
    minutes: 90,
    slots: [
      { days: ODD, time: '19:15' },
      { days: ['SA'], time: '19:30' },
      { days: ['SU'], time: '16:30' },
    ],
    students: ids(adults, 2, 3, 8, 9, 16, 18, 31),
    package: 'French, 20 hours',
  },
  {
    key: 'choir',
    name: 'Choir 合唱团',
    course: 'Choir',
    category: 'Music',
    sections: ['Breathing', 'Spring concert'],
    teacher: 'elena-rossi',
    room: 'Music room',
    capacity: 16,
    minutes: 90,
    slots: [
      { days: EVEN, time: '19:30' },
      { days: ['SA', 'SU'], time: '18:00' },
    ],
    students: [...ids(adults, 5, 11, 12, 19, 20, 31), ...row(teens, 0, 3)],
    package: 'Music, 20 hours',
  },
];

import type { Role } from '../../../libs/contracts/src/scalars.ts';

export const SCHOOL_NAME = 'Puente School 桥语学校';

/** A person of the demo school, as in the directory and the log-in. */
export interface SchoolPerson {
  user_id: string;
  role: Role;
  display_name: string;
  given_name: string;
  family_name: string;
  email: string;
  phone: string | null;
  /** A calendar day. */
  birthday: string | null;
  /** Their task, for staff; empty for others, whose task follows from classes and families. */
  job: string;
}

/** `Given Family 中文名`, then other facts. The user id consists of the first two. */
type Row = readonly [name: string, chinese: string, birthday?: string, job?: string];

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-');

const person =
  (role: Role) =>
  ([name, chinese, birthday, job = '']: Row, index: number): SchoolPerson => {
    const [given_name = '', ...family] = name.split(' ');
    const user_id = plain(name);
    return {
      user_id,
      role,
      display_name: `${name} ${chinese}`,
      given_name,
      family_name: family.join(' '),
      email: `${user_id.replaceAll('-', '.')}@school.example`,
      phone: role === 'STUDENT' ? null : `+34 600 ${role.length}${index % 10} ${String(100 + index)}`,
      birthday: birthday ?? null,
      job,
    };
  };

const OFFICE: readonly Row[] = [
  ['Hui Sun', '孙慧', undefined, 'head of the school'],
  ['Marta Ruiz', '玛尔塔', undefined, 'front office'],
];

const TEACHERS: readonly Row[] = [
  ['Carmen Vega', '卡门'],
  ['Li Wang', '王丽'],
  ['James Carter', '詹姆斯'],
  ['Min Zhao', '赵敏'],
  ['Elena Rossi', '埃莱娜'],
  ['Daniel Weber', '丹尼尔'],
  ['Amira Haddad', '阿米拉'],
];

const ADULTS: readonly Row[] = [
  ['Sofía García', '索菲亚', '1991-04-12'],
  ['Tom Becker', '汤姆', '1985-11-02'],
  ['Aisha Rahman', '艾莎', '1997-06-23'],
  ['Lucas Moreau', '卢卡斯', '1978-01-30'],
  ['Priya Nair', '普丽娅', '1993-09-14'],
  ['Hannah Olsen', '汉娜', '1989-03-08'],
  ['Marco Bianchi', '马可', '1972-12-19'],
  ['Yuki Tanaka', '田中由纪', '1995-05-27'],
  ['Pablo Navarro', '巴勃罗', '1982-08-03'],
  ['Ingrid Svensson', '英格丽德', '1971-10-21'],
  ['Kofi Mensah', '科菲', '1990-02-17'],
  ['Laura Jiménez', '劳拉', '1987-07-09'],
  ['Anton Petrov', '安东', '1980-04-25'],
  ['Beatriz Costa', '贝阿特丽斯', '1996-11-11'],
  ['Owen Hughes', '欧文', '1975-06-06'],
  ['Nadia Karim', '娜迪亚', '1992-01-15'],
  ['Javier Molina', '哈维尔', '1984-09-29'],
  ['Elif Demir', '艾丽芙', '1998-03-20'],
  ['Peter Novak', '彼得', '1970-05-13'],
  ['Raquel Santos', '拉克尔', '1988-12-05'],
  ['Mei Chen', '陈梅', '1994-08-18'],
  ['David Cohen', '大卫', '1981-10-10'],
  ['Ana Castillo', '安娜', '1990-07-01'],
  ['Fatima Zahra', '法蒂玛', '1986-02-28'],
  ['Erik Johansson', '埃里克', '1977-11-24'],
  ['Clara Schmidt', '克拉拉', '1999-04-04'],
  ['Hugo Fernández', '雨果', '1983-06-16'],
  ['Linh Nguyen', '阮玲', '1995-01-22'],
  ['Miguel Torres', '米格尔', '1979-09-07'],
  ['Rosa Iglesias', '罗莎', '1970-03-31'],
  ['Samuel Adeyemi', '塞缪尔', '1991-12-12'],
  ['Isabel Romero', '伊莎贝尔', '1974-05-05'],
];

const TEENS: readonly Row[] = [
  ['Yue Lin', '林悦', '2011-03-14'],
  ['Diego Alonso', '迭戈', '2010-08-22'],
  ['Zoe Martin', '佐伊', '2012-01-09'],
  ['Hao Liu', '刘浩', '2011-11-30'],
  ['Emma Weiss', '艾玛', '2010-05-17'],
  ['Adrián Gil', '阿德里安', '2012-07-25'],
  ['Xin Zhou', '周欣', '2009-12-03'],
  ['Noah Brown', '诺亚', '2011-06-11'],
  ['Lucía Ortega', '露西亚', '2010-10-28'],
  ['Jia Wu', '吴佳', '2012-04-19'],
  ['Mateo Serrano', '马特奥', '2009-09-08'],
  ['Amelie Dubois', '艾米莉', '2011-02-01'],
  ['Kai Huang', '黄凯', '2012-09-15'],
  ['Irene Vidal', '伊蕾妮', '2010-03-27'],
];

const CHILDREN: readonly Row[] = [
  ['An Lin', '林安', '2016-05-20'],
  ['Paula Alonso', '葆拉', '2015-02-11'],
  ['Leo Martin', '里奥', '2017-08-30'],
  ['Ning Xu', '徐宁', '2016-10-06'],
  ['Bruno Sanz', '布鲁诺', '2014-12-24'],
  ['Tian Zhou', '周天', '2015-07-13'],
  ['Olivia Brown', '奥利维娅', '2017-01-05'],
  ['Martín Pérez', '马丁', '2016-03-29'],
  ['Yan Guo', '郭妍', '2014-09-18'],
  ['Nora Haddad', '诺拉', '2015-11-21'],
  ['Chen Ma', '马晨', '2016-06-02'],
  ['Vera López', '维拉', '2014-04-10'],
  ['Theo Dubois', '泰奥', '2017-12-08'],
  ['Lan Huang', '黄岚', '2015-10-16'],
];

/** Guardian, then their children by user id, their relation, and whether they see prices. */
const FAMILIES: readonly (readonly [guardian: Row, children: readonly string[], relation: string, money: boolean])[] = [
  [['Wei Lin', '林伟'], ['yue-lin', 'an-lin'], 'father', true],
  [['Teresa Alonso', '特蕾莎'], ['diego-alonso', 'paula-alonso'], 'mother', true],
  [['Julie Martin', '朱莉'], ['zoe-martin', 'leo-martin'], 'mother', true],
  [['Yan Liu', '刘燕'], ['hao-liu'], 'mother', true],
  [['Karin Weiss', '卡琳'], ['emma-weiss'], 'mother', false],
  [['Jorge Gil', '豪尔赫'], ['adrian-gil'], 'father', true],
  [['Ping Zhou', '周平'], ['xin-zhou', 'tian-zhou'], 'father', true],
  [['Sarah Brown', '莎拉'], ['noah-brown', 'olivia-brown'], 'mother', true],
  [['Manuel Ortega', '曼努埃尔'], ['lucia-ortega'], 'father', true],
  [['Qing Wu', '吴清'], ['jia-wu'], 'mother', true],
  [['Pilar Serrano', '皮拉尔'], ['mateo-serrano'], 'grandmother', false],
  [['Claire Dubois', '克莱尔'], ['amelie-dubois', 'theo-dubois'], 'mother', true],
  [['Jun Huang', '黄军'], ['kai-huang', 'lan-huang'], 'father', true],
  [['Marina Vidal', '玛丽娜'], ['irene-vidal'], 'mother', true],
  [['Fang Xu', '徐芳'], ['ning-xu'], 'mother', true],
  [['Andrés Sanz', '安德烈斯'], ['bruno-sanz'], 'father', true],
  [['Alicia Pérez', '艾丽西亚'], ['martin-perez'], 'mother', true],
  [['Lei Guo', '郭磊'], ['yan-guo'], 'father', true],
  [['Samir Haddad', '萨米尔'], ['nora-haddad'], 'father', true],
  [['Lin Ma', '马琳'], ['chen-ma'], 'mother', true],
  [['Eva López', '伊娃'], ['vera-lopez'], 'mother', true],
];

export const office = OFFICE.map(person('SUPERVISOR'));
export const teachers = TEACHERS.map(person('TEACHER'));
export const adults = ADULTS.map(person('STUDENT'));
export const teens = TEENS.map(person('STUDENT'));
export const children = CHILDREN.map(person('STUDENT'));
export const students: readonly SchoolPerson[] = [...adults, ...teens, ...children];
export const guardians = FAMILIES.map(([row]) => row).map(person('GUARDIAN'));

/** Everybody, in the order in which lists show them: office, teachers, guardians, students. */
export const people: readonly SchoolPerson[] = [...office, ...teachers, ...guardians, ...students];

const byId = new Map(people.map((one) => [one.user_id, one]));
/** A person of the school. Throws for an unknown user id. */
export const personOf = (user_id: string): SchoolPerson => {
  const found = byId.get(user_id);
  if (found === undefined) throw new Error(`The school has no person ${user_id}`);
  return found;
};

export interface Tie {
  guardian_id: string;
  student_id: string;
  relation: string;
  /** Whether they see prices. */
  money: boolean;
}

/** Guardians and their children. */
export const ties: readonly Tie[] = FAMILIES.flatMap(([row, student_ids, relation, money]) =>
  student_ids.map((student_id) => ({ guardian_id: plain(row[0]), student_id, relation, money })),
);

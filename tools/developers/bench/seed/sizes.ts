/** How much is made for what is measured. */
export interface Sizes {
  /** Organizations with packages, and with classes. */
  orgs: number;
  /** Of each of them. */
  packages: number;
  /** Of each package. */
  items: number;
  /** Of each class. */
  students: number;
  /** Who are asked about, with three classes each. */
  teachers: number;
}

export const USUAL: Sizes = { orgs: 4, packages: 250, items: 20, students: 30, teachers: 6 };
/** The fewest: the plain server has an organization of its own. */
export const FEW: Sizes = { ...USUAL, orgs: 2, teachers: 2 };

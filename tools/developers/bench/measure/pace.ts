/** How long is measured, beside the seconds that are asked for. */
export interface Pace {
  /** Slices of each contender where some are compared. */
  rounds: number;
  /** With nothing to compare, longer slices: less of them is their beginning and end. */
  roundsAlone: number;
  warmUpS: number;
  /** Before single slow requests are told: they are as slow as code that is not compiled yet, for as long as there is any. */
  longWarmUpS: number;
  /** How long is looked at what processes use standing still. */
  idleS: number;
  /** How often a system is started again. */
  starts: number;
}

/** Rounds enough for an interval that tells two percent. */
export const FULL: Pace = { rounds: 20, roundsAlone: 4, warmUpS: 1, longWarmUpS: 10, idleS: 2, starts: 3 };
/** The fewest rounds that have an interval. */
export const SMALL: Pace = { rounds: 5, roundsAlone: 1, warmUpS: 0.5, longWarmUpS: 2, idleS: 0.5, starts: 1 };

export const roundsOf = ({ rounds, roundsAlone }: Pace, contenders: number): number =>
  contenders > 1 ? rounds : roundsAlone;

/** What an instance is asked, by whomever the broker knows as `from`. */
export interface Question {
  from: string;
  endpoint: string;
  /** A frame, which nobody changes any more. */
  data: Uint8Array;
  answer: (frame: Uint8Array) => void;
}

/**
 * Instances of this process that may be asked without the broker, by their ids. That they are there everybody learns from their
 * beats all the same, so each is found by those alone who are at the same broker.
 */
export const here = new Map<string, (question: Question) => void>();

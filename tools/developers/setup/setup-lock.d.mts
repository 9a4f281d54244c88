/** Resolves when no other process of this checkout sets anything up; what it resolves with ends the turn. */
export declare const takeTurn: () => Promise<() => void>;

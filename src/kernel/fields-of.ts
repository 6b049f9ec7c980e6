/**
 * The data members of a class, as its private constructor takes them: a missing member does not compile.
 * Methods are left out. Getters look like data to the type system, so the class names them in `Getter`.
 */
export type FieldsOf<T, Getter extends keyof T = never> = {
  readonly [K in Exclude<keyof T, Getter> as T[K] extends (...args: never[]) => unknown ? never : K]: T[K];
};

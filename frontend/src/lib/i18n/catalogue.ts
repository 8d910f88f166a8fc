/**
 * The shape that every language has: that of the English one. A missing word in
 * another language is an error of the compiler; a code of the controller
 * without words is an error too, because the keys are the lists in codes.ts.
 */
import type en from './en/index';

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => R
    : { [K in keyof T]: Widen<T[K]> };

export type Catalogue = Widen<typeof en>;

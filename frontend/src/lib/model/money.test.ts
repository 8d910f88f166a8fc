import { expect, it } from 'vitest';
import { amountOf } from './money';

it.each([
  ['', 0],
  ['  ', 0],
  ['5', 5_000_000],
  ['$5', 5_000_000],
  ['US$ 5', 5_000_000],
  ['0.50', 500_000],
  ['1,5', 1_500_000],
  [' 12.34 $ ', 12_340_000],
  ['5 USD', 5_000_000],
  ['.5', 500_000]
])('reads %j', (written, amount) => expect(amountOf(written)).toBe(amount));

it.each(['0', '$', '-5', 'five', '5 €', '1,000', '1.000,50', '1e3', '5 10', '0,001', '.', 'Infinity'])(
  'does not guess what %j means',
  (written) => expect(amountOf(written)).toBeUndefined()
);

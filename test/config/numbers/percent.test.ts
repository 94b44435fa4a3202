import { describe, expect, it } from 'vitest';
import { amountIn, parsePercent, percentNumber } from '../../../config/numbers/percent.ts';

const refusal = (text: string): object => ({
  ok: false,
  message: `${JSON.stringify(text)} is not a percentage; write digits and one percent sign, such as 10% or 2.5%`,
});

describe('parsePercent', () => {
  it.each([
    ['10%', 0.10000000149011612],
    ['10.5%', 0.10499999672174454],
    ['5%', 0.05000000074505806],
    ['.5%', 0.004999999888241291],
    ['5.%', 0.05000000074505806],
    ['0%', 0],
    ['-0%', 0],
    ['100%', 1],
    ['150%', 1.5],
    ['-1%', -0.009999999776482582],
  ])('%s', (text, value) => {
    expect(parsePercent(text)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    '%',
    '5',
    '5%%',
    '+5%',
    '1e1%',
    'NaN%',
    'Inf%',
    '0x5%',
    '1_0%',
    ' 5%',
    '5 %',
    '5% ',
    '.%',
    '-%',
    'foo%',
    '12%345',
    '--5%',
    '5%x',
  ])('refuses %j', (text) => {
    expect(parsePercent(text)).toEqual(refusal(text));
    expect(percentNumber(text)).toEqual(refusal(text));
  });

  it('gives the number as written too', () => {
    expect(percentNumber('2.5%')).toEqual({ ok: true, value: 2.5 });
    expect(percentNumber('-0%')).toEqual({ ok: true, value: 0 });
  });
});

describe('amountIn', () => {
  it.each([
    ['V20: 10% of 16Gi', '10%', 17179869184n, 1717986944n],
    ['V20: 20% of 1000Mi', '20%', 1048576000n, 209715203n],
    ['V20: 5% of 1048576', '5%', 1048576n, 52428n],
    ['F1: 5% of 10Gi', '5%', 10737418240n, 536870920n],
    ['F1: 15% of 10Gi', '15%', 10737418240n, 1610612800n],
    ['F1: 90% of 33551482880', '90%', 33551482880n, 30196333792n],
    ['F1: 0.5% of 65536000', '0.5%', 65536000n, 327679n],
    ['12.5% is exact', '12.5%', 65536000n, 8192000n],
  ])('%s', (_name, text, capacity, expected) => {
    const share = parsePercent(text);
    expect(share.ok && amountIn({ percentage: share.value }, capacity)).toBe(expected);
  });

  it('takes an amount as it is', () => {
    expect(amountIn({ quantity: 5n }, 100n)).toBe(5n);
  });
});

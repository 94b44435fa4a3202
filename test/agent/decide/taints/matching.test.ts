import { describe, expect, it } from 'vitest';
import { tolerates } from '../../../../agent/decide/tolerate.ts';
import type { Taint } from '../../../../agent/model/node.ts';
import type { Toleration } from '../../../../agent/model/pod.ts';

/** `k=v:NoSchedule`. */
function taint(text: string): Taint {
  const [left = '', effect = ''] = text.split(':');
  const [key = '', value = ''] = left.split('=');
  return { key, value, effect };
}
const tol = (operator: string, key: string, value = '', effect = ''): Toleration => ({
  operator,
  key,
  value,
  effect,
});

describe('the vectors of matching', () => {
  it.each<[string, Toleration, string, boolean]>([
    [
      'vT1 (recalled): Equal with key, value and effect',
      tol('Equal', 'k', 'v', 'NoSchedule'),
      'k=v:NoSchedule',
      true,
    ],
    ['vT2 (recalled): Exists with the key', tol('Exists', 'k', '', 'NoSchedule'), 'k=v:NoSchedule', true],
    [
      'vT3 (recalled): Equal with another value',
      tol('Equal', 'k', 'w', 'NoSchedule'),
      'k=v:NoSchedule',
      false,
    ],
    ['vT4 (recalled): another effect', tol('Equal', 'k', 'v', 'NoExecute'), 'k=v:NoSchedule', false],
    ['vT5 (recalled): every key and effect: NoSchedule', tol('Exists', ''), 'k=v:NoSchedule', true],
    ['vT5 (recalled): every key and effect: NoExecute', tol('Exists', ''), 'x:NoExecute', true],
    [
      'vT5 (recalled): every key and effect: PreferNoSchedule',
      tol('Exists', ''),
      'x=y:PreferNoSchedule',
      true,
    ],
    ['vT6: every effect of a key', tol('Exists', 'k'), 'k:NoExecute', true],
    ['vT7: no operator and no value, as the taint', tol('', 'k'), 'k:NoSchedule', true],
    ['vT8: an empty value is no wildcard', tol('Equal', 'k'), 'k=v:NoSchedule', false],
    ['vT9: an unknown operator', tol('In', 'k', 'v'), 'k=v:NoSchedule', false],
    ['vL1: above 900', tol('Gt', 'k', '900'), 'k=950:NoSchedule', true],
    ['vL2: not above itself', tol('Gt', 'k', '950'), 'k=950:NoSchedule', false],
    ['vL2: not below it', tol('Gt', 'k', '950'), 'k=800:NoSchedule', false],
    ['vL3: above 750', tol('Gt', 'k', '750'), 'k=800:NoSchedule', true],
    ['vL4: below 100', tol('Lt', 'k', '100'), 'k=50:NoSchedule', true],
    ['vL4: not below itself', tol('Lt', 'k', '100'), 'k=100:NoSchedule', false],
    ['vL5: a toleration with a leading zero', tol('Gt', 'k', '0950'), 'k=960:NoSchedule', false],
    ['vL5: a taint with a leading zero', tol('Gt', 'k', '900'), 'k=0950:NoSchedule', false],
    ['vL5: a word', tol('Gt', 'k', '900'), 'k=high:NoSchedule', false],
    ['vL5: a fraction', tol('Gt', 'k', '90'), 'k=95.5:NoSchedule', false],
    ['vL6: negative numbers', tol('Gt', 'k', '-5'), 'k=-4:NoSchedule', true],
    ['vL7: beyond 64 bits', tol('Gt', 'k', '1'), 'k=9223372036854775808:NoSchedule', false],
  ])('%s', (_what, toleration, text, expected) => {
    expect(tolerates(toleration, taint(text))).toBe(expected);
  });
});

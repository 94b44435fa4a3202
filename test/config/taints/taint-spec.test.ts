import { describe, expect, it } from 'vitest';
import { parseTaintAddition, parseTaintRemoval } from '../../../config/taints/taint-spec.ts';

const KEY =
  'a key is 1 to 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit';
const VALUE =
  'a value is at most 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit';
const PREFIX =
  'what stands before the slash of a key is a DNS name in small letters, of at most 253 characters';
const EFFECTS = 'give NoSchedule, PreferNoSchedule, NoExecute, written like that';
const REMOVES =
  'takes a taint away, as its last dash says; give it as a removal, without the dash if you like';
const long = (length: number): string => 'a'.repeat(length);

describe('a taint that is to be added', () => {
  it.each<[string, string, string, string, string]>([
    ['vK1: key, value and effect', 'key1=value1:NoSchedule', 'key1', 'value1', 'NoSchedule'],
    ['vK5: an empty value', 'k=:NoExecute', 'k', '', 'NoExecute'],
    ['vK5: no value', 'k:NoExecute', 'k', '', 'NoExecute'],
    ['the soft effect', 'k:PreferNoSchedule', 'k', '', 'PreferNoSchedule'],
    [
      'a key with a prefix',
      'node.example.com/role=gpu:NoSchedule',
      'node.example.com/role',
      'gpu',
      'NoSchedule',
    ],
    ['a prefix of one letter', 'a/b:NoSchedule', 'a/b', '', 'NoSchedule'],
    ['dashes, dots and underscores inside', 'A-b.c_1=x-y.z_0:NoSchedule', 'A-b.c_1', 'x-y.z_0', 'NoSchedule'],
    ['a key of 63 characters', `${long(63)}:NoSchedule`, long(63), '', 'NoSchedule'],
    ['a value of 63 characters', `k=${long(63)}:NoSchedule`, 'k', long(63), 'NoSchedule'],
    ['a prefix of 253 characters', `${long(253)}/k:NoSchedule`, `${long(253)}/k`, '', 'NoSchedule'],
  ])('%s', (...row) => {
    const [, text, key, value, effect] = row;
    expect(parseTaintAddition(text)).toEqual({ ok: true, value: { key, value, effect } });
  });
  it.each<[string, string, string]>([
    [
      'vK4: a key alone',
      'key1',
      '"key1" has no effect, which a taint needs; write key=value:NoSchedule or key:NoSchedule',
    ],
    ['vK4: no effect', 'key1=value1', `"key1=value1" is no taint: "key1=value1" is no key: ${KEY}`],
    [
      'vK6: two equals signs',
      'a=b=c:NoSchedule',
      '"a=b=c:NoSchedule" is no taint: it has more than one equals sign',
    ],
    ['vK6: two colons', 'a:b:NoSchedule', '"a:b:NoSchedule" is no taint: it has more than one colon'],
    [
      'vK7: a mistyped effect',
      'k=v:NoScheduler',
      `"k=v:NoScheduler" is no taint: "NoScheduler" is no effect; ${EFFECTS}`,
    ],
    [
      'vK8: small letters',
      'k=v:noschedule',
      `"k=v:noschedule" is no taint: "noschedule" is no effect; ${EFFECTS}`,
    ],
    ['vK8: None', 'k=v:None', `"k=v:None" is no taint: "None" is no effect; ${EFFECTS}`],
    ['an empty effect', 'k=v:', `"k=v:" is no taint: "" is no effect; ${EFFECTS}`],
    [
      'vK9: a value that ends with a dash',
      'k=v-:NoSchedule',
      `"k=v-:NoSchedule" is no taint: "v-" is no value: ${VALUE}`,
    ],
    [
      'a value that begins with a dot',
      'k=.v:NoSchedule',
      `"k=.v:NoSchedule" is no taint: ".v" is no value: ${VALUE}`,
    ],
    [
      'a value of 64 characters',
      `k=${long(64)}:NoSchedule`,
      `"k=${long(64)}:NoSchedule" is no taint: "${long(64)}" is no value: ${VALUE}`,
    ],
    ['no key', ':NoSchedule', `":NoSchedule" is no taint: "" is no key: ${KEY}`],
    ['no key before a value', '=v:NoSchedule', `"=v:NoSchedule" is no taint: "" is no key: ${KEY}`],
    ['nothing', '', `"" is no taint: "" is no key: ${KEY}`],
    ['a key with a blank', 'a b:NoSchedule', `"a b:NoSchedule" is no taint: "a b" is no key: ${KEY}`],
    ['a key that ends with a dash', 'a-:NoSchedule', `"a-:NoSchedule" is no taint: "a-" is no key: ${KEY}`],
    [
      'a key of 64 characters',
      `${long(64)}:NoSchedule`,
      `"${long(64)}:NoSchedule" is no taint: "${long(64)}" is no key: ${KEY}`,
    ],
    [
      'two slashes',
      'a/b/c:NoSchedule',
      '"a/b/c:NoSchedule" is no taint: "a/b/c" is no key: a key has at most one slash',
    ],
    ['an empty prefix', '/k:NoSchedule', `"/k:NoSchedule" is no taint: "/k" is no key: ${PREFIX}`],
    [
      'a prefix in large letters',
      'Example.com/k:NoSchedule',
      `"Example.com/k:NoSchedule" is no taint: "Example.com/k" is no key: ${PREFIX}`,
    ],
    [
      'a prefix with two dots',
      'a..b/k:NoSchedule',
      `"a..b/k:NoSchedule" is no taint: "a..b/k" is no key: ${PREFIX}`,
    ],
    [
      'a prefix of 254 characters',
      `${long(254)}/k:NoSchedule`,
      `"${long(254)}/k:NoSchedule" is no taint: "${long(254)}/k" is no key: ${PREFIX}`,
    ],
    [
      'a prefix without a name',
      'example.com/:NoSchedule',
      `"example.com/:NoSchedule" is no taint: "example.com/" is no key: ${KEY}`,
    ],
    ['a removal', 'key1:NoSchedule-', `"key1:NoSchedule-" ${REMOVES}`],
    ['a removal of a key', 'key1-', `"key1-" ${REMOVES}`],
  ])('%s is refused', (_what, text, message) => {
    expect(parseTaintAddition(text)).toEqual({ ok: false, message });
  });
});

describe('a taint that is to be taken away', () => {
  it.each<[string, string, object]>([
    [
      'vK2: by key and effect; its value says nothing',
      'key1=value1:NoSchedule-',
      { key: 'key1', effect: 'NoSchedule' },
    ],
    ['without the dash', 'key1=value1:NoSchedule', { key: 'key1', effect: 'NoSchedule' }],
    ['without a value', 'key1:NoExecute-', { key: 'key1', effect: 'NoExecute' }],
    ['vK3: by key, every effect', 'key1-', { key: 'key1' }],
    ['by key, without the dash', 'key1', { key: 'key1' }],
  ])('%s', (_what, text, value) => {
    expect(parseTaintRemoval(text)).toEqual({ ok: true, value });
  });
  it.each<[string, string, string]>([
    [
      'vK4: a value without an effect',
      'key1=value1-',
      `"key1=value1-" is no taint: "key1=value1" is no key: ${KEY}`,
    ],
    ['two dashes', 'key1--', `"key1--" is no taint: "key1-" is no key: ${KEY}`],
    ['an unknown effect', 'key1:Nope-', `"key1:Nope-" is no taint: "Nope" is no effect; ${EFFECTS}`],
    ['a bad value', 'k=v-:NoSchedule-', `"k=v-:NoSchedule-" is no taint: "v-" is no value: ${VALUE}`],
    ['a dash alone', '-', `"-" is no taint: "" is no key: ${KEY}`],
  ])('%s is refused', (_what, text, message) => {
    expect(parseTaintRemoval(text)).toEqual({ ok: false, message });
  });
});

import { expect, it } from 'vitest';
import { nodeNameOf } from '../../../agent/decide/node-name.ts';

const hostname = 'Worker-1.Example.COM';

it.each([
  ['what was said goes before all else', 'said', { NODE_NAME: 'set' }, 'said'],
  ['else the environment says it', undefined, { NODE_NAME: 'set' }, 'set'],
  ['else the host does, in small letters', undefined, {}, 'worker-1.example.com'],
  ['a variable that is empty says nothing', undefined, { NODE_NAME: '' }, 'worker-1.example.com'],
  ['nor does one of blanks', undefined, { NODE_NAME: ' ' }, 'worker-1.example.com'],
  ['an empty word says nothing either', '', { NODE_NAME: 'set' }, 'set'],
  ['blanks around a name are none of it', undefined, { NODE_NAME: ' Set\n' }, 'Set'],
])('%s', (_sentence, named, env, expected) => {
  expect(nodeNameOf({ named, env, hostname })).toBe(expected);
});

it('blanks around the name of the host are none of it', () => {
  expect(nodeNameOf({ named: undefined, env: {}, hostname: ' Host\n' })).toBe('host');
});

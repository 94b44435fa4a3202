import { describe, expect, it } from 'vitest';
import { parseListen } from '../../../config/nodeqos/listen-address.ts';

describe('where the agent answers', () => {
  it.each([
    ['none', { kind: 'none' }],
    ['unix:/run/nodeqos/nodeqos.sock', { kind: 'unix', path: '/run/nodeqos/nodeqos.sock' }],
    [`unix:/${'x'.repeat(106)}`, { kind: 'unix', path: `/${'x'.repeat(106)}` }],
    ['127.0.0.1:9477', { kind: 'tcp', host: '127.0.0.1', port: 9477 }],
    ['localhost:0', { kind: 'tcp', host: 'localhost', port: 0 }],
    ['[::1]:65535', { kind: 'tcp', host: '::1', port: 65535 }],
    [':9477', { kind: 'tcp', port: 9477 }],
  ])('%s', (text, value) => {
    expect(parseListen(text)).toEqual({ ok: true, value });
  });

  const NO_ADDRESS = 'is no address to listen at; write ADDR:PORT, unix:PATH or none';
  it.each([
    ['', NO_ADDRESS],
    ['9477', NO_ADDRESS],
    ['127.0.0.1', NO_ADDRESS],
    ['127.0.0.1:', NO_ADDRESS],
    ['127.0.0.1:65536', NO_ADDRESS],
    ['127.0.0.1:123456', NO_ADDRESS],
    ['127.0.0.1:94x', NO_ADDRESS],
    ['::1:9477', NO_ADDRESS],
    ['[::1:9477', NO_ADDRESS],
    ['a b:1', NO_ADDRESS],
    ['x[::1]:1', NO_ADDRESS],
    ['127.0.0.1:1\n', NO_ADDRESS],
    ['unix:', 'names no socket; write unix: and an absolute path'],
    ['unix:a.sock', 'names no socket; write unix: and an absolute path'],
    [`unix:/${'x'.repeat(107)}`, 'is too long for a socket, whose path has at most 107 bytes'],
    [`unix:/${'\u00fc'.repeat(54)}`, 'is too long for a socket, whose path has at most 107 bytes'],
  ])('refuses %j', (text, what) => {
    expect(parseListen(text)).toEqual({ ok: false, message: `${text} ${what}` });
  });
});

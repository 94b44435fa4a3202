import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { kubeletAddress } from '../../../../agent/peers/kubelet/address.ts';

const WANTED = 'give https://HOST:10250, or http://HOST:10255 for a read-only port';
const NO_URL = `is no URL of one; ${WANTED}`;
const USER = `holds a user or a password; ${WANTED}, and name a token as kubelet.tokenFile`;
const MORE = `holds more than a host and a port; ${WANTED}, without a path or a query`;

const BRACKETS =
  'may end with a port or with its address; put brackets around the address: https://[HOST]:10250';

describe('the URL of a kubelet', () => {
  it.each([
    ['https://127.0.0.1:10250', 'https', '127.0.0.1', 10_250, true],
    ['https://127.0.0.1:10250/', 'https', '127.0.0.1', 10_250, true],
    ['https://127.8.9.10', 'https', '127.8.9.10', 10_250, true],
    ['http://localhost', 'http', 'localhost', 10_255, true],
    ['http://localhost:80', 'http', 'localhost', 80, true],
    ['https://node-1.example:443', 'https', 'node-1.example', 443, false],
    ['HTTPS://NODE-1:10250', 'https', 'node-1', 10_250, false],
    ['https://[::1]:10250', 'https', '::1', 10_250, true],
    ['https://[2001:db8::7]', 'https', '2001:db8::7', 10_250, false],
    ['https://126.0.0.1', 'https', '126.0.0.1', 10_250, false],
    ['https://localhost.example', 'https', 'localhost.example', 10_250, false],
  ] as const)('%s', (...[url, scheme, host, port, isLoopback]) => {
    const shown = host.includes(':') ? `[${host}]` : host;
    const text = `${scheme}://${shown}:${port}`;
    expect(kubeletAddress(url)).toEqual({ scheme, host, port, text, isLoopback });
  });

  it.each([
    ['https://fd00::1:10250', 'fd00::1', 10_250, false],
    ['https://fd00:::10250', 'fd00::', 10_250, false],
    ['https://::1:10250/', '::1', 10_250, true],
    ['https://FD00:0:0::1:10250', 'fd00::1', 10_250, false],
    ['https://2001:db8:1:2:3:4:5:6:443', '2001:db8:1:2:3:4:5:6', 443, false],
    ['https://::ffff:10.0.0.7:10250', '::ffff:a00:7', 10_250, false],
    ['https://fd00::1', 'fd00::1', 10_250, false],
    ['https://::1', '::1', 10_250, true],
    ['https://2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', 10_250, false],
    ['https://fd00::abcd', 'fd00::abcd', 10_250, false],
    ['https://fd00::1:abcd', 'fd00::1:abcd', 10_250, false],
  ] as const)('an IPv6 address without brackets: %s', (url, host, port, isLoopback) => {
    const text = `https://[${host}]:${port}`;
    expect(kubeletAddress(url)).toEqual({ scheme: 'https', host, port, text, isLoopback });
  });

  it.each([
    ['https://fd00::1:443', BRACKETS],
    ['https://::1:1', BRACKETS],
    ['https://fd00::1:9999/', BRACKETS],
    ['https://fd00::10250', NO_URL],
    ['https://fd00::1:99999', NO_URL],
    ['https://fd00::1::10250', NO_URL],
    ['https://fe80::1%eth0:10250', NO_URL],
    ['https://fd00::1:port', NO_URL],
    ['https://me@fd00::1:10250', USER],
    ['https://fd00::1:10250/pods', MORE],
    ['', NO_URL],
    ['127.0.0.1:10250', NO_URL],
    ['ftp://127.0.0.1', NO_URL],
    ['unix:///run/kubelet.sock', NO_URL],
    ['https://', NO_URL],
    ['https:///pods', NO_URL],
    ['https://:10250', NO_URL],
    ['https://node 1', MORE],
    ['https://node:port', NO_URL],
    ['https://node:99999', NO_URL],
    ['https://[::1', NO_URL],
    ['https://me:secret@node', USER],
    ['https://secret@node:10250', USER],
    ['https://node/pods', MORE],
    ['https://node?token=secret', MORE],
    ['https://node/?token=secret', MORE],
    ['https://node#secret', MORE],
    ['https://node\\pods', MORE],
    ['https://node:0', `has the port 0, at which nobody can be asked; ${WANTED}`],
  ])('64, and nothing of it is repeated: %s', (url, why) => {
    expect(() => kubeletAddress(url)).toThrow(
      new Failure(64, `what is named as the URL of a kubelet ${why}`),
    );
  });
});

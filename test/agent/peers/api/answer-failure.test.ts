import { expect, it } from 'vitest';
import { answerFailure } from '../../../../agent/peers/api/faults.ts';

const client = { name: 'the API server at https://a:6443', identity: 'the token of /t' };

it.each([
  [
    401,
    {},
    77,
    'does not accept the token of /t; give nodeqos a service account, or one that its cluster has issued as api.kubeconfig',
  ],
  [403, {}, 77, 'does not let nodeqos list pods; allow it the verb "list" on pods in a ClusterRole'],
  [
    403,
    { message: 'pods is forbidden: User "system:serviceaccount:a:b" cannot list resource "pods"' },
    77,
    'does not let nodeqos (as system:serviceaccount:a:b) list pods; allow it the verb "list" on pods in a ClusterRole',
  ],
  [
    403,
    { message: 'User "a b\u001b[31m"' },
    77,
    'does not let nodeqos list pods; allow it the verb "list" on pods in a ClusterRole',
  ],
  [404, {}, 69, 'does not know the pods that it was asked for; check that it is an API server'],
  [429, {}, 69, 'has too much to do to list pods; it is to be asked again later'],
  [500, {}, 69, 'failed to list pods (status 500); its log says why'],
  [503, undefined, 69, 'failed to list pods (status 503); its log says why'],
  [
    200,
    undefined,
    69,
    'answers with something else than JSON; check that an API server listens there, and not something in front of it',
  ],
  [
    400,
    {},
    69,
    'does not list pods (status 400); check that an API server listens there, and not something in front of it',
  ],
] as const)('status %s with %j', (status, body, exit, sentence) => {
  const failure = answerFailure({ status, body }, { client, verb: 'list', resource: 'pods' });
  expect([failure.status, failure.message]).toEqual([exit, `${client.name} ${sentence}`]);
});

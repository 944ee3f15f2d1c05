import { describe, expect, it } from 'vitest';
import { fieldCases } from './cases.fixture.ts';
import { judgeClusterConfiguration, judgeInitConfiguration, judgeJoinConfiguration, outputOf } from './config.ts';

const judges = {
  ClusterConfiguration: (fields: object) => judgeClusterConfiguration({ ...fields }, 35),
  InitConfiguration: (fields: object) => judgeInitConfiguration({ ...fields }),
  JoinConfiguration: (fields: object) => judgeJoinConfiguration({ ...fields }),
};

describe.each(fieldCases)('kubeadm and a $kind', ({ kind, takes, refuses }) => {
  it.each(takes)('takes %j', (fields) => expect(judges[kind](fields)).toEqual([]));
  it.each(refuses)('refuses %j', (fields) => expect(judges[kind](fields)).toHaveLength(1));
});

it.each([
  [judgeInitConfiguration, { skipPhases: ['addon/kube-proxy', 'certs/all', 'preflight'] }, []],
  [judgeInitConfiguration, { skipPhases: ['nope', 'addon/nope'] }, ['nope', 'addon/nope']],
  [judgeJoinConfiguration, { skipPhases: ['addon'] }, ['addon']],
] as const)('%o knows the phases of %j but %j', (judge, fields, unknown) =>
  expect(judge({ ...fields }).map(({ value }) => value)).toEqual(unknown));

it.each([
  '{{ ds.meta_data.local_hostname }}',
  '${COREOS_EC2_HOSTNAME}',
  '$COREOS_EC2_HOSTNAME',
])('does not judge %s, which is filled in later', (name) =>
  expect(judgeInitConfiguration({ nodeRegistration: { name } })).toEqual([]));

it('knows algorithms by the release', () => {
  expect(judgeClusterConfiguration({ encryptionAlgorithm: 'ECDSA-P384' }, 33).map(outputOf)).toEqual([
    'encryptionAlgorithm: Invalid value: "ECDSA-P384": supported values: "RSA-2048", "RSA-3072", "RSA-4096", "ECDSA-P256"',
  ]);
  expect(judgeClusterConfiguration({ encryptionAlgorithm: 'ECDSA-P384' }, 34)).toEqual([]);
});

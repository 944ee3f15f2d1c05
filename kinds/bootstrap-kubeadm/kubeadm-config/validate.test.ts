import { describe, expect, it } from 'vitest';
import type { KubeadmConfigSpec } from './index.ts';
import { validateKubeadmConfigSpec } from './validate.ts';

const secret = { secret: { name: 's', key: 'k' } };

describe('a KubeadmConfigSpec', () => {
  it.each<{ rule: string; spec: KubeadmConfigSpec; field?: string; detail?: string }>([
    { rule: 'may be empty', spec: {} },
    {
      rule: 'allows one source per file',
      spec: { files: [{ path: '/a', content: 'x', contentFrom: secret }] },
      field: 'spec.files[0]',
      detail: 'only one of content or contentFrom may be specified for a single file',
    },
    {
      rule: 'allows one entry per path',
      spec: { files: [{ path: '/a' }, { path: '/b' }, { path: '/a' }] },
      field: 'spec.files[2].path',
      detail: 'path property must be unique among all files',
    },
    {
      rule: 'allows one source per password',
      spec: { users: [{ name: 'u', passwd: 'x', passwdFrom: secret }] },
      field: 'spec.users[0]',
      detail: 'only one of passwd or passwdFrom may be specified for a single user',
    },
    {
      rule: 'allows Ignition settings only with the format ignition',
      spec: { ignition: { containerLinuxConfig: { strict: true } } },
      field: 'spec.format',
      detail: 'must be set to "ignition" if spec.ignition is set',
    },
    {
      rule: 'allows only GPT partition tables with Ignition',
      spec: { format: 'ignition', diskSetup: { partitions: [{ device: 'd', layout: true, tableType: 'mbr' }] } },
      field: 'spec.diskSetup.partitions[0].tableType',
      detail: 'only partition type "gpt" is supported when spec.format is set to "ignition"',
    },
    {
      rule: 'defaults to GPT partition tables',
      spec: { format: 'ignition', diskSetup: { partitions: [{ device: 'd', layout: true }] } },
    },
    {
      rule: 'allows either local or external etcd',
      spec: {
        clusterConfiguration: {
          etcd: { local: { dataDir: '/d' }, external: { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['e'] } },
        },
      },
      field: 'spec.clusterConfiguration.etcd.local',
      detail: 'cannot have both external and local etcd',
    },
    {
      rule: 'allows no certificates that outlive their CA',
      spec: { clusterConfiguration: { certificateValidityPeriodDays: 400, caCertificateValidityPeriodDays: 300 } },
      field: 'spec.clusterConfiguration.certificateValidityPeriodDays',
      detail: 'must be less than or equal to caCertificateValidityPeriodDays (300)',
    },
    {
      rule: 'requires well-formed tokens',
      spec: { initConfiguration: { bootstrapTokens: [{ token: 'short' }] } },
      field: 'spec.initConfiguration.bootstrapTokens[0].token',
      detail: 'the bootstrap token must be of the form "[a-z0-9]{6}.[a-z0-9]{16}"',
    },
  ])('$rule', ({ spec, field, detail }) => {
    const faults = validateKubeadmConfigSpec(spec, 'spec').map((fault) => [fault.field, fault.detail]);
    expect(faults).toEqual(field ? [[field, detail]] : []);
  });
});
